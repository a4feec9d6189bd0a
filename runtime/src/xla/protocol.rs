//! Frames of the worker: the length of a JSON header, the header, the bytes it announces. The worker's script describes the headers.

use super::{Ended, Failure, Request};
use serde_json::{Value as Json, json};
use std::io::Read;
use tileproof_dialect::{
    buffer::Buffer,
    error::Error,
    tensor::Tensor,
    types::{ElementType, TensorType},
};

/// Largest header and data taken from a worker.
const MOST_BYTES: u64 = 16 << 30;

/// A header with the bytes behind it.
#[derive(Debug)]
pub struct Frame {
    pub header: Json,
    pub data: Vec<u8>,
}

fn describe(t: &TensorType) -> Json {
    let dims: Vec<u64> = t.static_dims().unwrap_or_default();
    json!({"type": t.element.to_string(), "dims": dims})
}

pub fn header(request: &Request<'_>) -> Json {
    let arguments: Vec<Vec<Json>> = request
        .arguments
        .iter()
        .map(|device| device.iter().map(|t| describe(&t.ty())).collect())
        .collect();
    let options: serde_json::Map<String, Json> = request.options.iter().cloned().collect();
    let bytes: usize = request
        .arguments
        .iter()
        .flatten()
        .map(|t| t.ieee().bytes().len())
        .sum();
    json!({
        "form": request.form.name(),
        "program": request.text.len(),
        "payload": request.text.len() + bytes,
        "options": options,
        "replicas": request.replicas,
        "partitions": request.partitions,
        "arguments": arguments,
        "results": request.results.iter().map(describe).collect::<Vec<_>>(),
        "runs": request.runs,
    })
}

pub fn payload(request: &Request<'_>) -> Vec<u8> {
    let mut out = request.text.as_bytes().to_vec();
    for t in request.arguments.iter().flatten() {
        out.extend_from_slice(t.ieee().bytes());
    }
    out
}

/// Bytes of the arrays that a header's runs announce.
fn announced(header: &Json) -> Option<u64> {
    let mut sum = 0u64;
    for t in header["runs"].as_array().into_iter().flatten() {
        for t in t.as_array().into_iter().flatten() {
            for t in t.as_array().into_iter().flatten() {
                let (element, dims) = declared(t)?;
                let n = dims.iter().try_fold(1u64, |a, d| a.checked_mul(*d))?;
                sum = sum.checked_add(n.checked_mul(element.storage_bytes() as u64)?)?;
            }
        }
    }
    Some(sum)
}

fn declared(t: &Json) -> Option<(ElementType, Vec<u64>)> {
    let name = t["type"].as_str()?;
    let element = ElementType::all().find(|e| e.to_string() == name)?;
    let dims = t["dims"].as_array()?;
    let dims = dims.iter().map(Json::as_u64).collect::<Option<_>>()?;
    Some((element, dims))
}

/// Reads one frame; none at the end of the stream.
pub fn read(stream: &mut impl Read) -> std::io::Result<Option<Frame>> {
    let mut length = [0; 4];
    if let Err(e) = stream.read_exact(&mut length) {
        return if e.kind() == std::io::ErrorKind::UnexpectedEof {
            Ok(None)
        } else {
            Err(e)
        };
    }
    let mut text = vec![0; u32::from_le_bytes(length) as usize];
    stream.read_exact(&mut text)?;
    let header: Json = serde_json::from_slice(&text).map_err(std::io::Error::other)?;
    let bytes = announced(&header)
        .filter(|n| *n <= MOST_BYTES)
        .ok_or_else(|| std::io::Error::other(format!("an answer of unknown size: {header}")))?;
    let mut data = vec![0; bytes as usize];
    stream.read_exact(&mut data)?;
    Ok(Some(Frame { header, data }))
}

/// What an answer says of the request.
pub fn ended(frame: &Frame, request: &Request<'_>) -> Result<Ended, Error> {
    let text = |key: &str| frame.header[key].as_str().unwrap_or("").to_string();
    if frame.header["outcome"] != "returned" {
        let message = text("message");
        return Ok(Ended::Failed(match text("class").as_str() {
            "compile" => Failure::Compile(message),
            "run" => Failure::Run(message),
            "out_of_memory" => Failure::OutOfMemory(message),
            "unsupported" => return Err(Error::unsupported(message)),
            _ => {
                return Err(Error::internal(format!(
                    "the XLA worker answers {}",
                    frame.header
                )));
            }
        }));
    }
    let mut runs: Vec<Vec<Vec<Tensor>>> = vec![];
    let mut at = 0;
    for run in frame.header["runs"].as_array().into_iter().flatten() {
        let Some(devices) = run.as_array() else {
            let first = runs.first().cloned().unwrap_or_default();
            runs.push(first);
            continue;
        };
        let mut all = vec![];
        for device in devices {
            let mut values = vec![];
            for (i, t) in device.as_array().into_iter().flatten().enumerate() {
                let (element, dims) = declared(t)
                    .ok_or_else(|| Error::unsupported(format!("a result of type {t} from XLA")))?;
                let n = tileproof_dialect::tensor::count(&dims) * element.storage_bytes();
                let bytes = &frame.data[at..at + n];
                at += n;
                values.push(fitted(element, dims, bytes, request.results.get(i))?);
            }
            all.push(values);
        }
        runs.push(all);
    }
    Ok(Ended::Returned(runs))
}

/// A result with the declared type; JAX shows some types as others of the same bits.
fn fitted(
    element: ElementType,
    dims: Vec<u64>,
    bytes: &[u8],
    want: Option<&TensorType>,
) -> Result<Tensor, Error> {
    let element = match want {
        Some(w) if w.element.storage_bytes() == element.storage_bytes() => w.element.clone(),
        Some(w) => {
            return Err(Error::internal(format!(
                "XLA gives a result of type {element}, the program declares {}",
                w.element
            )));
        }
        None => element,
    };
    Ok(Tensor::new(dims, element, Buffer::from_slice(bytes), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xla::Form;

    fn frame(header: &Json, data: &[u8]) -> Vec<u8> {
        let text = header.to_string();
        let mut out = (text.len() as u32).to_le_bytes().to_vec();
        out.extend(text.as_bytes());
        out.extend(data);
        out
    }

    fn request(results: &[TensorType]) -> Request<'_> {
        Request {
            form: Form::StableHlo,
            text: "",
            options: &[],
            replicas: 1,
            partitions: 1,
            arguments: &[],
            results,
            runs: 2,
        }
    }

    #[test]
    fn a_run_without_bytes_of_its_own_repeats_the_first() {
        let header =
            json!({"outcome": "returned", "runs": [[[{"type": "f32", "dims": [2]}]], null]});
        let bytes: Vec<u8> = [1f32, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let read = read(&mut frame(&header, &bytes).as_slice())
            .unwrap()
            .unwrap();
        let want = Tensor::from_slice(&[2], ElementType::F32, &[1f32, 2.0]);
        let got = ended(&read, &request(&[want.ty()])).unwrap();
        assert_eq!(
            got,
            Ended::Returned(vec![vec![vec![want.clone()]], vec![vec![want]]])
        );
    }

    #[test]
    fn failures_are_values_and_what_cannot_be_done_is_an_error() {
        let fail = |class: &str| {
            let header = json!({"outcome": "failed", "class": class, "message": "m"});
            ended(
                &Frame {
                    header,
                    data: vec![],
                },
                &request(&[]),
            )
        };
        assert_eq!(
            fail("out_of_memory").unwrap(),
            Ended::Failed(Failure::OutOfMemory("m".to_string()))
        );
        assert!(matches!(
            fail("unsupported"),
            Err(Error::Unsupported { .. })
        ));
        assert!(matches!(fail("?"), Err(Error::Internal(_))));
    }

    #[test]
    fn a_stream_that_ends_or_lies_is_told() {
        assert!(read(&mut [].as_slice()).unwrap().is_none());
        let header = json!({"runs": [[[{"type": "f32", "dims": [4611686018427387904u64, 8]}]]]});
        assert!(read(&mut frame(&header, &[]).as_slice()).is_err());
        assert!(
            read(
                &mut frame(
                    &json!({"runs": [[[{"type": "f32", "dims": [9]}]]]}),
                    &[0; 4]
                )
                .as_slice()
            )
            .is_err()
        );
    }
}
