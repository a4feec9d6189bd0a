//! Builds the ODS dialects: `libMLIR-C.so`, tblgen output, C++, and typed Rust views.

use serde_json::Value;
use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::{Command, exit},
};

/// Dialects, and whether passes build their ops in Rust through views.
const DIALECTS: &[(&str, bool)] = &[("hlo", true), ("tpu", false), ("tpux", false)];
const PACKAGES: &str =
    "llvm-22-dev libmlir-22-dev mlir-22-tools clang-22 libpolly-22-dev zlib1g-dev libzstd-dev g++";

fn main() {
    for path in ["build.rs", "td", "cpp"] {
        println!("cargo:rerun-if-changed={path}");
    }
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix =
        PathBuf::from(env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    for file in [
        "bin/mlir-tblgen",
        "bin/llvm-tblgen",
        "bin/clang++",
        "lib/libMLIR.so",
        "lib/libLLVM.so",
        "lib/libMLIRCAPIIR.a",
        "include/mlir/IR/OpBase.td",
    ] {
        if !prefix.join(file).exists() {
            fail(&format!("{} does not exist", prefix.join(file).display()));
        }
    }
    write_linker_script(&prefix.join("lib"), &out);
    let mut views = String::new();
    for (dialect, viewed) in DIALECTS {
        tblgen(&prefix, dialect, &out);
        if !viewed {
            continue;
        }
        let json = out.join(format!("{dialect}.json"));
        let records: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
        write_views(&records, dialect, &mut views);
    }
    fs::write(out.join("views.rs"), views).unwrap();
    cc::Build::new()
        .cpp(true)
        .compiler(prefix.join("bin/clang++"))
        .std("c++17")
        .files(["cpp/dialects.cpp", "cpp/kernels.cpp"])
        .opt_level(2)
        .debug(false)
        .include(&out)
        .flag(format!("-isystem{}", prefix.join("include").display()))
        .flags(["-fno-rtti", "-fno-exceptions", "-w"])
        .define("_GNU_SOURCE", None)
        .compile("tileproof_dialects");
}

fn fail(what: &str) -> ! {
    eprintln!(
        "error: LLVM/MLIR 22 is missing: {what}.\n\
         Install {PACKAGES}, or set MLIR_SYS_220_PREFIX (and TABLEGEN_220_PREFIX, LLVM_SYS_221_PREFIX)\n\
         in .cargo/config.toml to the directory that holds bin/mlir-tblgen and lib/libMLIR.so."
    );
    exit(1)
}

/// Debian ships no `libMLIR-C.so`: a linker script over the static C API archives stands in.
fn write_linker_script(lib: &Path, out: &Path) {
    let mut archives: Vec<String> = fs::read_dir(lib)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.starts_with("libMLIRCAPI") && name.ends_with(".a"))
        .map(|name| lib.join(name).display().to_string())
        .collect();
    archives.sort();
    let lib = lib.display();
    let script = format!(
        "GROUP ( {} {lib}/libMLIR.so {lib}/libLLVM.so )\n",
        archives.join(" ")
    );
    fs::write(out.join("libMLIR-C.so"), script).unwrap();
    println!("cargo:rustc-link-search=native={}", out.display());
}

fn tblgen(prefix: &Path, dialect: &str, out: &Path) {
    let run = |tool: &str, args: &[String], file: &str| {
        let status = Command::new(prefix.join("bin").join(tool))
            .args(args)
            .arg("-I")
            .arg(prefix.join("include"))
            .args(["-I", "td", &format!("td/{dialect}.td"), "-o"])
            .arg(out.join(file))
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(_) => {
                eprintln!("error: {tool} rejects td/{dialect}.td");
                exit(1)
            }
            Err(error) => fail(&format!("{tool}: {error}")),
        }
    };
    for (what, filter) in [
        ("dialect", "-dialect"),
        ("op", "-dialect"),
        ("typedef", "-typedefs-dialect"),
        ("attrdef", "-attrdefs-dialect"),
        ("enum", "-dialect"),
    ] {
        let stem = match what {
            "dialect" => "dialect",
            "op" => "ops",
            "typedef" => "types",
            "attrdef" => "attrs",
            _ => "enums",
        };
        for (kind, extension) in [("decls", "h"), ("defs", "cpp")] {
            let mut args = vec![format!("-gen-{what}-{kind}")];
            if what != "op" && what != "enum" {
                args.push(format!("{filter}={dialect}"));
            }
            run(
                "mlir-tblgen",
                &args,
                &format!("{dialect}_{stem}.{extension}.inc"),
            );
        }
    }
    run(
        "llvm-tblgen",
        &["--dump-json".into()],
        &format!("{dialect}.json"),
    );
}

/// One operand, result, region or attribute of an op.
struct Item<'a> {
    name: &'a str,
    variadic: bool,
    /// The ODS attribute kind (empty: not an attribute), and whether it may be absent.
    kind: &'a str,
    optional: bool,
}

fn items<'a>(records: &'a Value, op: &'a Value, field: &str) -> Vec<Item<'a>> {
    let record = |value: &'a Value| &records[value["def"].as_str().unwrap_or_default()];
    let is = |value: &Value, class: &str| {
        value["!superclasses"]
            .as_array()
            .is_some_and(|list| list.iter().any(|c| c == class))
    };
    let args = op[field]["args"].as_array().unwrap();
    args.iter()
        .map(|arg| {
            let definition = record(&arg[0]);
            let mut leaf = definition;
            while leaf["baseAttr"].is_object() {
                leaf = record(&leaf["baseAttr"]);
            }
            Item {
                name: arg[1].as_str().unwrap(),
                variadic: is(definition, "Variadic") || is(definition, "VariadicRegion"),
                kind: if is(definition, "Attr") {
                    leaf["!name"].as_str().unwrap()
                } else {
                    ""
                },
                optional: definition["isOptional"] == 1,
            }
        })
        .collect()
}

/// The plain type of an attribute, as a getter returns it and as a builder takes it.
fn plain(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "I64Attr" => ("i64", "i64"),
        "BoolAttr" => ("bool", "bool"),
        "F64Attr" => ("f64", "f64"),
        "StrAttr" => ("String", "&str"),
        "FlatSymbolRefAttr" => ("Symbol", "Symbol"),
        "DenseI64ArrayAttr" => ("Vec<i64>", "&[i64]"),
        "DenseBoolArrayAttr" => ("Vec<bool>", "&[bool]"),
        "StrArrayAttr" => ("Vec<String>", "&[String]"),
        "Ints" => ("Vec<Vec<i64>>", "&[Vec<i64>]"),
        _ => ("Attribute<'c>", "Attribute<'c>"),
    }
}

/// Names that are Rust keywords.
fn identifier(name: &str) -> String {
    match name {
        "if" | "while" | "return" | "type" | "in" | "match" | "where" => format!("r#{name}"),
        _ => name.into(),
    }
}

/// For each op a view `AddOp` over an `OperationRef`, and a builder function `add`.
fn write_views(records: &Value, dialect: &str, out: &mut String) {
    writeln!(out, "pub mod {dialect} {{\nuse super::*;").unwrap();
    let mut names: Vec<&str> = records["!instanceof"]["Op"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    names.sort();
    let mut listed = String::new();
    for name in names {
        let op = &records[name];
        let prefix = op["opDialect"]["def"]
            .as_str()
            .unwrap()
            .split('_')
            .next()
            .unwrap();
        let mnemonic = op["opName"].as_str().unwrap();
        let view = name.strip_prefix(prefix).unwrap().trim_start_matches('_');
        let arguments = items(records, op, "arguments");
        let operands: Vec<&Item> = arguments
            .iter()
            .filter(|item| item.kind.is_empty())
            .collect();
        let attributes: Vec<&Item> = arguments
            .iter()
            .filter(|item| !item.kind.is_empty())
            .collect();
        let (results, regions) = (items(records, op, "results"), items(records, op, "regions"));
        let (results, regions): (Vec<&Item>, Vec<&Item>) =
            (results.iter().collect(), regions.iter().collect());
        let flags =
            |list: &[&Item]| format!("&{:?}", list.iter().map(|i| i.variadic).collect::<Vec<_>>());
        write!(
            out,
            "/// View of `{dialect}.{mnemonic}`.\n#[derive(Clone, Copy)]\npub struct {view}<'c, 'a>(OperationRef<'c, 'a>);\n\
             impl<'c, 'a> {view}<'c, 'a> {{\npub const DEF: OpDef = OpDef {{ name: \"{dialect}.{mnemonic}\", operands: {}, results: {}, regions: {}, attributes: &[{}] }};\n\
             /// The view, when `op` is this op and has its counts.\npub fn cast(op: OperationRef<'c, 'a>) -> Option<Self> {{ Self::DEF.matches(op).then_some(Self(op)) }}\n\
             pub fn operation(self) -> OperationRef<'c, 'a> {{ self.0 }}\n",
            flags(&operands),
            flags(&results),
            flags(&regions),
            attributes
                .iter()
                .map(|a| format!("AttributeDef {{ name: \"{}\", kind: \"{}\", optional: {} }}", a.name, a.kind, a.optional))
                .collect::<Vec<_>>()
                .join(", "),
        )
        .unwrap();
        for (list, what, one) in [
            (&operands, "operand", "Value<'c, 'a>"),
            (&results, "result", "Value<'c, 'a>"),
            (&regions, "region", "RegionRef<'c, 'a>"),
        ] {
            for (i, item) in list.iter().enumerate() {
                let taken = what != "operand" && operands.iter().any(|o| o.name == item.name);
                let getter = identifier(&if taken {
                    format!("{}_{what}", item.name)
                } else {
                    item.name.into()
                });
                let (ty, get) = if item.variadic {
                    (format!("Vec<{one}>"), format!("{what}s"))
                } else {
                    (one.into(), what.into())
                };
                writeln!(
                    out,
                    "pub fn {getter}(self) -> {ty} {{ Self::DEF.{get}(self.0, {i}) }}"
                )
                .unwrap();
            }
        }
        for item in &attributes {
            let taken = operands
                .iter()
                .chain(&results)
                .chain(&regions)
                .any(|o| o.name == item.name);
            let getter = identifier(&if taken {
                format!("{}_attribute", item.name)
            } else {
                item.name.into()
            });
            let ty = plain(item.kind).0;
            // Absent only on unverified IR, or where the attribute is optional.
            writeln!(
                out,
                "pub fn {getter}(self) -> Option<{ty}> {{ attribute(self.0, \"{}\") }}",
                item.name
            )
            .unwrap();
        }
        writeln!(out, "}}").unwrap();
        write_builder(
            out,
            dialect,
            mnemonic,
            &operands,
            &attributes,
            &results,
            &regions,
        );
        write!(listed, "{view}::DEF, ").unwrap();
    }
    writeln!(
        out,
        "/// Every op of the dialect.\npub const OPS: &[OpDef] = &[{listed}];\n}}"
    )
    .unwrap();
}

fn write_builder(
    out: &mut String,
    dialect: &str,
    mnemonic: &str,
    operands: &[&Item],
    attributes: &[&Item],
    results: &[&Item],
    regions: &[&Item],
) {
    let mut parameters = vec![
        "context: &'c melior::Context".to_string(),
        "location: Location<'c>".to_string(),
    ];
    let mut body = String::new();
    for (list, suffix, one, push) in [
        (operands, "", "Value<'c, '_>", "operands"),
        (results, "_type", "Type<'c>", "results"),
        (regions, "_region", "Region<'c>", "regions"),
    ] {
        for item in list {
            let name = identifier(&format!("{}{suffix}", item.name));
            if item.variadic {
                let slice = if push == "regions" {
                    format!("Vec<{one}>")
                } else {
                    format!("&[{one}]")
                };
                parameters.push(format!("{name}: {slice}"));
                writeln!(body, "op.{push}.extend({name});").unwrap();
            } else {
                parameters.push(format!("{name}: {one}"));
                writeln!(body, "op.{push}.push({name});").unwrap();
            }
        }
    }
    for item in attributes {
        let taken = operands.iter().any(|o| o.name == item.name);
        let name = identifier(&if taken {
            format!("{}_attribute", item.name)
        } else {
            item.name.into()
        });
        let ty = plain(item.kind).1;
        if item.optional {
            parameters.push(format!("{name}: Option<{ty}>"));
            writeln!(
                body,
                "if let Some(value) = {name} {{ op.attribute(context, \"{}\", value); }}",
                item.name
            )
            .unwrap();
        } else {
            parameters.push(format!("{name}: {ty}"));
            writeln!(body, "op.attribute(context, \"{}\", {name});", item.name).unwrap();
        }
    }
    write!(
        out,
        "/// Builds `{dialect}.{mnemonic}`; unverified.\npub fn {}<'c>({}) -> Result<Operation<'c>, melior::Error> {{\n\
         let mut op = Parts::new(\"{dialect}.{mnemonic}\", location);\n{body}op.build()\n}}\n",
        identifier(mnemonic),
        parameters.join(", ")
    )
    .unwrap();
}
