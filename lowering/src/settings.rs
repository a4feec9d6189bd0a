//! What can be chosen of a lowering: the machine and the size of blocks. Written behind the name of a pass: `hlo-to-tpu(block-bytes=4096)`.

use crate::target::{self, TpuTarget};
use tileproof_dialect::error::Error;

/// Choices of the passes from S3 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub target: &'static TpuTarget,
    /// Bytes of VMEM that a block of an operand takes at most, where it can be split so far.
    pub block_bytes: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            target: target::DEFAULT,
            block_bytes: 512 << 10,
        }
    }
}

impl Settings {
    /// Reads `block-bytes=4096`, `target=v4`.
    pub fn set(&mut self, option: &str) -> Result<(), Error> {
        let bad = |what: String| Error::invalid(what, Default::default());
        let Some((name, value)) = option.split_once('=') else {
            return Err(bad(format!("option '{option}' has no value")));
        };
        match name.trim() {
            "block-bytes" => {
                let bytes = value.trim().parse().ok().filter(|n| *n > 0);
                self.block_bytes = bytes
                    .ok_or_else(|| bad(format!("block-bytes: '{value}' is no number of bytes")))?;
            }
            "target" => {
                self.target = TpuTarget::named(value.trim()).ok_or_else(|| {
                    let names: Vec<&str> = target::TARGETS.iter().map(|t| t.name).collect();
                    bad(format!(
                        "no target is named '{value}'; these are: {}",
                        names.join(", ")
                    ))
                })?;
            }
            other => {
                return Err(bad(format!(
                    "no option is named '{other}'; the options of passes are block-bytes, target"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_checked() {
        let mut settings = Settings::default();
        settings.set("block-bytes=4096").unwrap();
        settings.set("target=v4").unwrap();
        assert_eq!((settings.block_bytes, settings.target.name), (4096, "v4"));
        for wrong in ["block-bytes=0", "block-bytes", "target=v9", "x=1"] {
            assert!(settings.set(wrong).is_err(), "{wrong}");
        }
    }
}
