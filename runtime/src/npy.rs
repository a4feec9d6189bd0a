//! Arrays in NumPy's .npy files, read and written by a declared element type.
//!
//! Element types NumPy has are stored natively (booleans, integers, f16, f32, f64, complex numbers); the others as the bits of their storage:
//! bf16 as uint16, floats of at most 8 bits as uint8, 2- and 4-bit integers as int8 or uint8. Both byte orders and both memory orders are read.

use npyz::{DType, Endianness, NpyFile, Order, TypeChar, TypeStr, WriterBuilder};
use std::{
    fs::File,
    io::{BufReader, BufWriter, Read, Write},
    path::Path,
    sync::Arc,
};
use tileproof_dialect::{
    buffer::Buffer,
    error::{Diagnostic, Error},
    location::{Location, Position},
    tensor::{Tensor, row_major_strides},
    types::{Dim, ElementType, TensorType},
};

/// NumPy type of the stored elements: letter and bytes.
type Stored = (TypeChar, usize);

/// How an element type is stored.
fn stored(element: &ElementType) -> Stored {
    match element {
        ElementType::I1 => (TypeChar::Bool, 1),
        ElementType::I2 | ElementType::I4 | ElementType::I8 => (TypeChar::Int, 1),
        ElementType::I16 => (TypeChar::Int, 2),
        ElementType::I32 => (TypeChar::Int, 4),
        ElementType::I64 => (TypeChar::Int, 8),
        ElementType::U2 | ElementType::U4 | ElementType::U8 => (TypeChar::Uint, 1),
        ElementType::U16 => (TypeChar::Uint, 2),
        ElementType::U32 => (TypeChar::Uint, 4),
        ElementType::U64 => (TypeChar::Uint, 8),
        ElementType::F4E2M1FN
        | ElementType::F6E2M3FN
        | ElementType::F6E3M2FN
        | ElementType::F8E3M4
        | ElementType::F8E4M3
        | ElementType::F8E4M3FN
        | ElementType::F8E4M3FNUZ
        | ElementType::F8E4M3B11FNUZ
        | ElementType::F8E5M2
        | ElementType::F8E5M2FNUZ
        | ElementType::F8E8M0FNU => (TypeChar::Uint, 1),
        ElementType::BF16 => (TypeChar::Uint, 2),
        ElementType::F16 => (TypeChar::Float, 2),
        ElementType::F32 => (TypeChar::Float, 4),
        ElementType::F64 => (TypeChar::Float, 8),
        ElementType::C64 => (TypeChar::Complex, 8),
        ElementType::C128 => (TypeChar::Complex, 16),
        ElementType::Quantized(q) => stored(&q.storage),
    }
}

/// `float32`, `uint16`, ...
fn numpy_name((letter, bytes): Stored) -> String {
    let word = match letter {
        TypeChar::Bool => return "bool".to_string(),
        TypeChar::Int => "int",
        TypeChar::Uint => "uint",
        TypeChar::Float => "float",
        TypeChar::Complex => "complex",
        _ => "void",
    };
    format!("{word}{}", 8 * bytes)
}

fn wrong(path: &Path, message: String, help: Option<String>) -> Error {
    let diagnostic = Diagnostic {
        message,
        location: Location {
            position: Some(Position {
                file: Arc::from(path.display().to_string()),
                line: 1,
                column: 1,
            }),
            ..Location::default()
        },
        help,
    };
    Error::InvalidProgram(vec![diagnostic])
}

/// Reads `path` as a value of type `ty`, whose `?` take the sizes of the file. No ring plane.
pub fn read(path: &Path, ty: &TensorType) -> Result<Tensor, Error> {
    let file = File::open(path).map_err(|e| wrong(path, format!("cannot be opened: {e}"), None))?;
    let length = file.metadata().map_or(u64::MAX, |m| m.len());
    read_from(BufReader::new(file), length, path, ty)
}

/// Reads the bytes of a .npy file of `length` bytes; `path` is for messages.
fn read_from(
    reader: impl Read,
    length: u64,
    path: &Path,
    ty: &TensorType,
) -> Result<Tensor, Error> {
    let not_npy = |e: std::io::Error| wrong(path, format!("is not a .npy file: {e}"), None);
    // The header parser may not be trusted with any bytes at all.
    let file = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| NpyFile::new(reader)))
        .unwrap_or_else(|_| Err(std::io::Error::other("the header is damaged")))
        .map_err(not_npy)?;
    let (dims, order) = (file.shape().to_vec(), file.order());
    let want = stored(&ty.element);
    let got = match file.dtype() {
        DType::Plain(s) => (s.type_char(), s.num_bytes().unwrap_or(0), s.endianness()),
        DType::Array(..) | DType::Record(_) => {
            let message = format!(
                "holds {}, expected {}",
                file.dtype().descr(),
                numpy_name(want)
            );
            return Err(wrong(path, message, None));
        }
    };
    let fits = dims.len() == ty.rank()
        && dims.iter().zip(&ty.dims).all(|(have, want)| match want {
            Dim::Static(n) => have == n,
            Dim::Dynamic { bound } => bound.is_none_or(|b| *have <= b),
        });
    // NumPy writes types of extension packages (ml_dtypes) as raw bytes.
    let raw = got.0 == TypeChar::RawData && got.1 == want.1 && is_raw(&ty.element);
    if !((got.0, got.1) == want || raw) || !fits {
        let message = format!(
            "expected {} of shape {} for {ty}, got {} of shape {dims:?}",
            numpy_name(want),
            shape_text(&ty.dims),
            numpy_name((got.0, got.1))
        );
        return Err(wrong(path, message, encoding_help(&ty.element)));
    }
    let bytes = dims
        .iter()
        .try_fold(want.1 as u64, |a, d| a.checked_mul(*d))
        .filter(|n| *n <= length);
    let Some(bytes) = bytes else {
        let message = format!("holds less than the {dims:?} elements its header declares");
        return Err(wrong(path, message, None));
    };
    let mut data = file.into_inner();
    let mut failed = None;
    let buffer = Buffer::build::<u8>(bytes as usize, |out| failed = data.read_exact(out).err());
    if let Some(e) = failed {
        return Err(wrong(path, format!("ends too early: {e}"), None));
    }
    if data.read(&mut [0]).map_or(0, |n| n) > 0 {
        let message = format!("holds more than the {dims:?} elements its header declares");
        return Err(wrong(path, message, None));
    }
    let part = if want.0 == TypeChar::Complex {
        want.1 / 2
    } else {
        want.1
    };
    let buffer = match got.2 {
        Endianness::Big => swapped(&buffer, part),
        Endianness::Little | Endianness::Irrelevant => buffer,
    };
    let buffer = valid(buffer, &ty.element, path)?;
    Ok(match order {
        Order::C => Tensor::new(dims, ty.element.clone(), buffer, None),
        Order::Fortran => {
            let reversed: Vec<u64> = dims.iter().rev().copied().collect();
            let strides: Vec<i64> = row_major_strides(&reversed).into_iter().rev().collect();
            Tensor::new(reversed, ty.element.clone(), buffer, None).strided(&dims, 0, &strides)
        }
    })
}

fn shape_text(dims: &[Dim]) -> String {
    let sizes: Vec<String> = dims.iter().map(Dim::to_string).collect();
    format!("[{}]", sizes.join(", "))
}

/// Whether NumPy itself has no such type.
fn is_raw(element: &ElementType) -> bool {
    let (letter, _) = stored(element);
    let narrow = element.is_integer() && element.bits() < 8 && *element != ElementType::I1;
    narrow || (element.is_float() && letter == TypeChar::Uint)
}

fn encoding_help(element: &ElementType) -> Option<String> {
    let name = numpy_name(stored(element));
    is_raw(element).then(|| format!("{element} is stored as {name}"))
}

fn swapped(buffer: &Buffer, part: usize) -> Buffer {
    Buffer::build::<u8>(buffer.bytes().len(), |out| {
        out.copy_from_slice(buffer.bytes());
        out.chunks_exact_mut(part).for_each(<[u8]>::reverse);
    })
}

/// Elements narrower than their storage must hold a value of the type.
fn valid(buffer: Buffer, element: &ElementType, path: &Path) -> Result<Buffer, Error> {
    let range = match element {
        ElementType::I1 => {
            // NumPy takes any nonzero byte for true.
            return Ok(Buffer::build::<u8>(buffer.bytes().len(), |out| {
                out.iter_mut()
                    .zip(buffer.bytes())
                    .for_each(|(o, b)| *o = u8::from(*b != 0))
            }));
        }
        ElementType::I2 => (-2, 1),
        ElementType::I4 => (-8, 7),
        ElementType::U2 => (0, 3),
        ElementType::U4 | ElementType::F4E2M1FN => (0, 15),
        ElementType::F6E2M3FN | ElementType::F6E3M2FN => (0, 63),
        _ => return Ok(buffer),
    };
    let signed = matches!(element, ElementType::I2 | ElementType::I4);
    let value = |b: &u8| {
        if signed {
            i32::from(*b as i8)
        } else {
            i32::from(*b)
        }
    };
    match buffer
        .bytes()
        .iter()
        .map(value)
        .find(|v| *v < range.0 || *v > range.1)
    {
        Some(v) => {
            let message = format!(
                "holds {v}, which is no {element} ({} to {})",
                range.0, range.1
            );
            Err(wrong(path, message, None))
        }
        None => Ok(buffer),
    }
}

/// Writes the IEEE plane of `t` to `path`: to a temporary file beside it first, then renamed, so that no half-written file is ever seen.
pub fn write(path: &Path, t: &Tensor) -> Result<(), Error> {
    // A device or pipe is written to as it is: renaming over it would replace it.
    if path.exists() && !path.is_file() {
        return File::create(path)
            .and_then(|f| write_to(&mut BufWriter::new(f), t))
            .map_err(|e| wrong(path, format!("cannot be written: {e}"), None));
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.partial", std::process::id()));
    let temporary = path.with_file_name(name);
    let failed = |e: std::io::Error| wrong(path, format!("cannot be written: {e}"), None);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let written = File::create(&temporary).and_then(|f| {
        let mut out = BufWriter::new(f);
        write_to(&mut out, t)?;
        out.into_inner()
            .map_err(std::io::IntoInnerError::into_error)?
            .sync_all()
    });
    written
        .and_then(|()| std::fs::rename(&temporary, path))
        .map_err(|e| {
            // The partial file is of no use; the error to tell is the first.
            let _ = std::fs::remove_file(&temporary);
            failed(e)
        })
}

fn write_to(out: &mut impl Write, t: &Tensor) -> std::io::Result<()> {
    let (letter, bytes) = stored(t.element());
    let order = if bytes == 1 { "|" } else { "<" };
    let descriptor = format!("{order}{}{bytes}", letter.to_str());
    let dtype: TypeStr = descriptor.parse().map_err(std::io::Error::other)?;
    npyz::WriteOptions::new_header_only()
        .dtype(DType::Plain(dtype))
        .shape(t.dims())
        .writer(&mut *out)
        .write_header_only()?;
    out.write_all(t.ieee().bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::builder::Sampler;

    fn file(descriptor: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let mut header =
            format!("{{'descr': '{descriptor}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while !(header.len() + 11).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    fn parse(bytes: &[u8], ty: &TensorType) -> Result<Tensor, Error> {
        read_from(bytes, bytes.len() as u64, Path::new("a.npy"), ty)
    }

    fn ty(dims: &[u64], element: ElementType) -> TensorType {
        TensorType::new(dims.iter().copied(), element)
    }

    #[test]
    fn every_element_type_is_written_and_read_back() {
        let folder = std::env::temp_dir().join(format!("tileproof-npy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.npy");
        let mut sampler = Sampler::new(3, 5);
        for element in ElementType::all() {
            for dims in [vec![], vec![0, 3], vec![2, 3], sampler.dims()] {
                let n = dims.iter().product::<u64>();
                let values: Vec<f64> = (0..n).map(|_| sampler.range(0, 7) as f64 - 3.0).collect();
                let t = Tensor::from_f64s(&dims, &element, &values);
                write(&path, &t).unwrap();
                assert_eq!(read(&path, &t.ty()).unwrap(), t);
            }
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn fortran_order_and_big_endian() {
        let data: Vec<u8> = [1i16, 2, 3, 4, 5, 6]
            .iter()
            .flat_map(|v| v.to_be_bytes())
            .collect();
        let t = parse(
            &file(">i2", true, "(2, 3)", &data),
            &ty(&[2, 3], ElementType::I16),
        )
        .unwrap();
        assert_eq!(t.as_slice::<i16>(), [1, 3, 5, 2, 4, 6]);
        let parts: Vec<u8> = [1f32, 2.0].iter().flat_map(|v| v.to_be_bytes()).collect();
        let t = parse(
            &file(">c8", false, "()", &parts),
            &ty(&[], ElementType::C64),
        )
        .unwrap();
        assert_eq!(t.as_slice::<f32>(), [1.0, 2.0]);
    }

    #[test]
    fn what_does_not_fit_is_told_with_both_types_and_shapes() {
        let f32s = |n: usize| vec![0u8; 4 * n];
        let want = ty(&[2, 3], ElementType::F32);
        let message = |bytes: &[u8], ty: &TensorType| parse(bytes, ty).unwrap_err().to_string();
        let got = message(&file("<f4", false, "(3, 2)", &f32s(6)), &want);
        assert!(
            got.contains("a.npy") && got.contains("shape [2, 3]") && got.contains("shape [3, 2]"),
            "{got}"
        );
        let got = message(&file("<f8", false, "(2, 3)", &[0; 48]), &want);
        assert!(
            got.contains("expected float32") && got.contains("got float64"),
            "{got}"
        );
        let got = message(
            &file("<f4", false, "(3,)", &f32s(3)),
            &ty(&[3], ElementType::BF16),
        );
        assert!(got.contains("bf16 is stored as uint16"), "{got}");
        assert!(message(&file("<f4", false, "(2, 3)", &f32s(5)), &want).contains("ends too early"));
        assert!(message(&file("<f4", false, "(2, 3)", &f32s(7)), &want).contains("holds more"));
        let huge = "(4611686018427387904, 3)";
        let ty_huge = ty(&[4611686018427387904, 3], ElementType::F32);
        assert!(message(&file("<f4", false, huge, &f32s(5)), &ty_huge).contains("declares"));
        assert!(message(b"no array at all", &want).contains("not a .npy file"));
        let got = message(
            &file("|i1", false, "(1,)", &[9]),
            &ty(&[1], ElementType::I4),
        );
        assert!(got.contains("holds 9"), "{got}");
    }

    #[test]
    fn damaged_headers_never_panic() {
        let good = file("<f4", false, "(2, 3)", &[0; 24]);
        let want = ty(&[2, 3], ElementType::F32);
        let mut sampler = Sampler::new(1, 1);
        for _ in 0..2000 {
            let mut bytes = good.clone();
            for _ in 0..sampler.range(1, 4) {
                let at = sampler.range(0, 127) as usize;
                bytes[at] = sampler.bits() as u8;
            }
            bytes.truncate(sampler.range(0, bytes.len() as u64) as usize);
            let _ = parse(&bytes, &want);
        }
    }
}
