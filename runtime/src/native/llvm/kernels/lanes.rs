//! Values of several lanes in MLIR text: `arith`, `math` and `vector` ops, one SSA value each.
//!
//! A value holds `lanes` elements (0: a scalar) in its *lane type*: i1 for booleans, integers in their storage width, f32, f64, f16; bf16 and types that are only
//! moved as integers of their bits.

use std::fmt::Write;
use tileproof_dialect::types::{Class, ElementType};

/// What arithmetic on an element type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bool,
    /// `bits` of a storage of `storage` bits, sign- or zero-extended.
    Int {
        bits: u32,
        storage: u32,
        signed: bool,
    },
    F32,
    F64,
    F16,
    Bf16,
    /// Moved only.
    Bits(u32),
}

impl Kind {
    pub fn of(element: &ElementType) -> Kind {
        let storage = 8 * element.storage_bytes() as u32;
        match element.class() {
            Class::Boolean => Kind::Bool,
            Class::Signed | Class::Unsigned => Kind::Int {
                bits: element.bits(),
                storage,
                signed: element.class() == Class::Signed,
            },
            Class::Float | Class::Complex | Class::Quantized => match element {
                ElementType::F32 => Kind::F32,
                ElementType::F64 => Kind::F64,
                ElementType::F16 => Kind::F16,
                ElementType::BF16 => Kind::Bf16,
                _ => Kind::Bits(storage),
            },
        }
    }

    /// The lane type of one element.
    pub fn lane(self) -> String {
        match self {
            Kind::Bool => "i1".to_string(),
            Kind::Int { storage, .. } | Kind::Bits(storage) => format!("i{storage}"),
            Kind::F32 => "f32".to_string(),
            Kind::F64 => "f64".to_string(),
            Kind::F16 => "f16".to_string(),
            Kind::Bf16 => "i16".to_string(),
        }
    }

    /// Its type in memory.
    pub fn memory(self) -> String {
        match self {
            Kind::Bool => "i8".to_string(),
            Kind::Int { .. } | Kind::F32 | Kind::F64 | Kind::F16 | Kind::Bf16 | Kind::Bits(_) => {
                self.lane()
            }
        }
    }

    pub fn bytes(self) -> u64 {
        match self {
            Kind::Bool => 1,
            Kind::Int { storage, .. } | Kind::Bits(storage) => u64::from(storage / 8),
            Kind::F32 => 4,
            Kind::F64 => 8,
            Kind::F16 | Kind::Bf16 => 2,
        }
    }

    /// Whether sums and products are made in f32 and rounded.
    pub fn is_short_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::Bf16)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64) || self.is_short_float()
    }
}

/// Writes ops on lanes.
pub struct Lanes<'a> {
    pub out: &'a mut String,
    pub next: &'a mut u32,
    pub lanes: u64,
}

impl Lanes<'_> {
    /// The type of `lanes` elements of `base`.
    pub fn ty(&self, base: &str) -> String {
        match self.lanes {
            0 => base.to_string(),
            n => format!("vector<{n}x{base}>"),
        }
    }

    /// `%n = text`.
    pub fn op(&mut self, text: impl AsRef<str>) -> String {
        let name = format!("%x{}", self.next);
        *self.next += 1;
        let _ = writeln!(self.out, "{name} = {}", text.as_ref());
        name
    }

    /// A binary op of type `base`.
    pub fn two(&mut self, op: &str, a: &str, b: &str, base: &str) -> String {
        let ty = self.ty(base);
        self.op(format!("{op} {a}, {b} : {ty}"))
    }

    /// A unary op of type `base`.
    pub fn one(&mut self, op: &str, a: &str, base: &str) -> String {
        let ty = self.ty(base);
        self.op(format!("{op} {a} : {ty}"))
    }

    pub fn cast(&mut self, op: &str, a: &str, from: &str, to: &str) -> String {
        let (from, to) = (self.ty(from), self.ty(to));
        self.op(format!("{op} {a} : {from} to {to}"))
    }

    pub fn compare_int(&mut self, predicate: &str, a: &str, b: &str, base: &str) -> String {
        let ty = self.ty(base);
        self.op(format!("arith.cmpi {predicate}, {a}, {b} : {ty}"))
    }

    pub fn compare_float(&mut self, predicate: &str, a: &str, b: &str, base: &str) -> String {
        let ty = self.ty(base);
        self.op(format!("arith.cmpf {predicate}, {a}, {b} : {ty}"))
    }

    pub fn select(&mut self, p: &str, a: &str, b: &str, base: &str) -> String {
        let (p_ty, ty) = (self.ty("i1"), self.ty(base));
        self.op(format!("arith.select {p}, {a}, {b} : {p_ty}, {ty}"))
    }

    /// An integer constant in all lanes; i1 as 0 and 1.
    pub fn int(&mut self, value: i64, base: &str) -> String {
        let literal = match (base, value) {
            ("i1", 0) => "false".to_string(),
            ("i1", _) => "true".to_string(),
            (_, v) => v.to_string(),
        };
        let ty = self.ty(base);
        match (self.lanes, base) {
            (0, "i1") => self.op(format!("arith.constant {literal}")),
            (0, _) => self.op(format!("arith.constant {literal} : {ty}")),
            (_, _) => self.op(format!("arith.constant dense<{literal}> : {ty}")),
        }
    }

    /// A float constant in all lanes by its bits.
    pub fn float_bits(&mut self, bits: i64, base: &str) -> String {
        let int = format!("i{}", &base[1..]);
        let c = self.int(bits, &int);
        self.cast("arith.bitcast", &c, &int, base)
    }

    pub fn f32(&mut self, value: f32) -> String {
        self.float_bits(i64::from(value.to_bits() as i32), "f32")
    }

    pub fn f64(&mut self, value: f64) -> String {
        self.float_bits(value.to_bits() as i64, "f64")
    }

    /// One element of lane type `base` in all lanes.
    pub fn splat(&mut self, x: &str, base: &str) -> String {
        match self.lanes {
            0 => x.to_string(),
            _ => {
                let ty = self.ty(base);
                self.op(format!("vector.broadcast {x} : {base} to {ty}"))
            }
        }
    }

    /// A constant of its storage bytes in all lanes, in its lane type.
    pub fn constant(&mut self, kind: Kind, bytes: &[u8]) -> String {
        let mut all = [0u8; 8];
        all[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
        let bits = i64::from_le_bytes(all);
        let shift = 64 - 8 * kind.bytes() as u32;
        let signed = bits << shift >> shift;
        match kind {
            Kind::Bool => self.int(bits & 1, "i1"),
            Kind::Int { .. } | Kind::Bf16 | Kind::Bits(_) => self.int(signed, &kind.lane()),
            Kind::F32 | Kind::F64 | Kind::F16 => self.float_bits(signed, &kind.lane()),
        }
    }

    /// Elements from memory at `pointer`.
    pub fn load(&mut self, kind: Kind, pointer: &str) -> String {
        let (memory, n) = (self.ty(&kind.memory()), kind.bytes());
        let x = self.op(format!(
            "llvm.load {pointer} {{alignment = {n} : i64}} : !llvm.ptr -> {memory}"
        ));
        match kind {
            Kind::Bool => {
                let zero = self.int(0, "i8");
                self.compare_int("ne", &x, &zero, "i8")
            }
            Kind::Int { .. } | Kind::F32 | Kind::F64 | Kind::F16 | Kind::Bf16 | Kind::Bits(_) => x,
        }
    }

    pub fn store(&mut self, kind: Kind, x: &str, pointer: &str) {
        let x = match kind {
            Kind::Bool => self.cast("arith.extui", x, "i1", "i8"),
            Kind::Int { .. } | Kind::F32 | Kind::F64 | Kind::F16 | Kind::Bf16 | Kind::Bits(_) => {
                x.to_string()
            }
        };
        let (memory, n) = (self.ty(&kind.memory()), kind.bytes());
        let _ = writeln!(
            self.out,
            "llvm.store {x}, {pointer} {{alignment = {n} : i64}} : {memory}, !llvm.ptr"
        );
    }

    /// A short float as f32, exactly.
    pub fn widened(&mut self, x: &str, kind: Kind) -> String {
        match kind {
            Kind::Bf16 => {
                let wide = self.cast("arith.extui", x, "i16", "i32");
                let by = self.int(16, "i32");
                let bits = self.two("arith.shli", &wide, &by, "i32");
                self.cast("arith.bitcast", &bits, "i32", "f32")
            }
            Kind::F16 => self.cast("arith.extf", x, "f16", "f32"),
            Kind::F32 | Kind::F64 | Kind::Bool | Kind::Int { .. } | Kind::Bits(_) => x.to_string(),
        }
    }

    /// An f32 rounded once to a short float. bf16 by hand: the machine's conversion takes subnormals for zero.
    pub fn narrowed(&mut self, x: &str, kind: Kind) -> String {
        match kind {
            Kind::F16 => self.cast("arith.truncf", x, "f32", "f16"),
            Kind::Bf16 => {
                let bits = self.cast("arith.bitcast", x, "f32", "i32");
                let by = self.int(16, "i32");
                let high = self.two("arith.shrui", &bits, &by, "i32");
                let one = self.int(1, "i32");
                let odd = self.two("arith.andi", &high, &one, "i32");
                let half = self.int(0x7fff, "i32");
                let up = self.two("arith.addi", &odd, &half, "i32");
                let sum = self.two("arith.addi", &bits, &up, "i32");
                let rounded = self.two("arith.shrui", &sum, &by, "i32");
                let quiet = self.int(0x40, "i32");
                let nan = self.two("arith.ori", &high, &quiet, "i32");
                let is_nan = self.compare_float("uno", x, x, "f32");
                let chosen = self.select(&is_nan, &nan, &rounded, "i32");
                self.cast("arith.trunci", &chosen, "i32", "i16")
            }
            Kind::F32 | Kind::F64 | Kind::Bool | Kind::Int { .. } | Kind::Bits(_) => x.to_string(),
        }
    }

    /// An integer wrapped to its bits, extended in its storage.
    pub fn wrapped(&mut self, x: &str, kind: Kind) -> String {
        match kind {
            Kind::Int {
                bits,
                storage,
                signed,
            } if bits < storage => {
                let base = kind.lane();
                let by = self.int(i64::from(storage - bits), &base);
                let up = self.two("arith.shli", x, &by, &base);
                let down = if signed { "arith.shrsi" } else { "arith.shrui" };
                self.two(down, &up, &by, &base)
            }
            Kind::Int { .. }
            | Kind::Bool
            | Kind::F32
            | Kind::F64
            | Kind::F16
            | Kind::Bf16
            | Kind::Bits(_) => x.to_string(),
        }
    }
}
