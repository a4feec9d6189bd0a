//! Figures of the TPU generations that programs are lowered for: one table.
//!
//! Source of every figure: jax 0.10.2, `jax/_src/pallas/mosaic/tpu_info.py`, `_get_tpu_info_impl`, per TensorCore; tiles: `get_sublane_tiling` there.

use tileproof_dialect::types::{ElementType, Layout, TensorType};

/// One TensorCore of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TpuTarget {
    /// `v5e`, as in `ChipVersion`.
    pub name: &'static str,
    pub generation: u32,
    /// Elements of 32 bits in the minor dimension of a vector register.
    pub lanes: u64,
    /// Rows of a vector register.
    pub sublanes: u64,
    /// Columns of the matrix unit.
    pub mxu_columns: u64,
    pub vmem_bytes: u64,
    pub smem_bytes: u64,
    pub hbm_bytes_per_second: u64,
    pub bf16_operations_per_second: u64,
}

const MIB: u64 = 1 << 20;

const fn target(
    name: &'static str,
    generation: u32,
    mxu_columns: u64,
    vmem_mib: u64,
    hbm_bytes_per_second: u64,
    bf16_operations_per_second: u64,
) -> TpuTarget {
    TpuTarget {
        name,
        generation,
        lanes: 128,
        sublanes: 8,
        mxu_columns,
        vmem_bytes: vmem_mib * MIB,
        smem_bytes: MIB,
        hbm_bytes_per_second,
        bf16_operations_per_second,
    }
}

/// THE list of targets.
pub const TARGETS: &[TpuTarget] = &[
    target("v4", 4, 128, 16, 615_000_000_000, 137_500_000_000_000),
    target("v5e", 5, 128, 128, 820_000_000_000, 197_000_000_000_000),
    target("v5p", 5, 128, 64, 1_230_000_000_000, 229_500_000_000_000),
    target("v6e", 6, 256, 128, 1_640_000_000_000, 920_000_000_000_000),
    target("7x", 7, 256, 64, 3_700_000_000_000, 1_155_000_000_000_000),
];

/// What programs are lowered for unless said otherwise: v5e.
pub const DEFAULT: &TpuTarget = &TARGETS[1];

impl TpuTarget {
    /// The target `name`.
    pub fn named(name: &str) -> Option<&'static TpuTarget> {
        TARGETS.iter().find(|t| t.name == name)
    }

    /// Whether kernels compute on elements of this type (DESIGN.md section 4, native types at S3..S5). Others are library calls.
    pub fn is_native(&self, element: &ElementType) -> bool {
        match element {
            ElementType::F32
            | ElementType::BF16
            | ElementType::F16
            | ElementType::F8E3M4
            | ElementType::F8E4M3
            | ElementType::F8E4M3FN
            | ElementType::F8E4M3FNUZ
            | ElementType::F8E4M3B11FNUZ
            | ElementType::F8E5M2
            | ElementType::F8E5M2FNUZ
            | ElementType::F8E8M0FNU
            | ElementType::I1
            | ElementType::I4
            | ElementType::I8
            | ElementType::I16
            | ElementType::I32
            | ElementType::U4
            | ElementType::U8
            | ElementType::U16
            | ElementType::U32 => true,
            ElementType::I2
            | ElementType::U2
            | ElementType::I64
            | ElementType::U64
            | ElementType::F4E2M1FN
            | ElementType::F6E2M3FN
            | ElementType::F6E3M2FN
            | ElementType::F64
            | ElementType::C64
            | ElementType::C128
            | ElementType::Quantized(_) => false,
        }
    }

    /// Elements of this type in one 32-bit word of a packed register; 1 for types of 32 bits and more. Booleans are kept as bytes in HBM.
    pub fn packing(&self, element: &ElementType) -> u64 {
        match element {
            ElementType::I1 => 4,
            other => 32 / u64::from(other.bits()).next_power_of_two().clamp(1, 32),
        }
    }

    /// Tiles of a tensor in HBM, outermost first. Rank 0: none. Rank 1: a row of lanes. Others: sublanes x lanes over the two minor dimensions, with
    /// fewer sublanes where the second dimension is smaller, and the packing of narrow types inside. `minor` and `second` are the sizes of the two
    /// minor dimensions in physical order.
    fn tiles(&self, element: &ElementType, rank: usize, second: Option<u64>) -> Vec<Vec<u64>> {
        let packing = self.packing(element);
        match (rank, second) {
            (0, _) => vec![],
            (1, _) | (_, None) => vec![vec![self.lanes * packing]],
            (_, Some(second)) => {
                // tpu_info.get_sublane_tiling: 16-bit types keep 8 rows before generation 7, other narrow types fill a register.
                let wide = packing == 1 || (packing == 2 && self.generation < 7);
                let most = self.sublanes * if wide { 1 } else { packing };
                let rows = second.next_power_of_two().clamp(packing.min(most), most);
                let outer = vec![rows, self.lanes];
                if packing > 1 {
                    vec![outer, vec![packing, 1]]
                } else {
                    vec![outer]
                }
            }
        }
    }

    /// The layout of a tensor with this physical order, minor dimension first. None for rank 0, which has nothing to lay out, and for sizes only known
    /// when the program runs.
    pub fn layout(&self, ty: &TensorType, minor_to_major: &[u64]) -> Option<Layout> {
        let dims = ty.static_dims()?;
        if dims.is_empty() || minor_to_major.len() != dims.len() {
            return None;
        }
        let second = minor_to_major
            .get(1)
            .and_then(|d| dims.get(*d as usize))
            .copied();
        Some(Layout {
            minor_to_major: minor_to_major.to_vec(),
            tiles: self.tiles(&ty.element, dims.len(), second),
        })
    }

    /// Row-major order with the tiles of this target.
    pub fn default_layout(&self, ty: &TensorType) -> Option<Layout> {
        let order: Vec<u64> = (0..ty.rank() as u64).rev().collect();
        self.layout(ty, &order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(target: &str, dims: &[u64], element: ElementType) -> Vec<Vec<u64>> {
        let ty = TensorType::new(dims.iter().copied(), element);
        let target = TpuTarget::named(target).unwrap();
        target
            .default_layout(&ty)
            .map(|l| l.tiles)
            .unwrap_or_default()
    }

    #[test]
    fn tiles_are_sublanes_by_lanes_and_packed_below_32_bits() {
        assert_eq!(tiles("v5e", &[64, 256], ElementType::F32), [[8, 128]]);
        assert_eq!(tiles("v5e", &[3, 256], ElementType::F32), [[4, 128]]);
        assert_eq!(
            tiles("v5e", &[64, 256], ElementType::BF16),
            [[8, 128], [2, 1]]
        );
        assert_eq!(
            tiles("7x", &[64, 256], ElementType::BF16),
            [[16, 128], [2, 1]]
        );
        assert_eq!(
            tiles("v5e", &[64, 256], ElementType::I8),
            [[32, 128], [4, 1]]
        );
        assert_eq!(tiles("v5e", &[1000], ElementType::F32), [[128]]);
        assert!(tiles("v5e", &[], ElementType::F32).is_empty());
    }

    #[test]
    fn no_layout_for_sizes_known_later() {
        use tileproof_dialect::types::Dim;
        let ty = TensorType {
            dims: vec![Dim::Dynamic { bound: None }],
            element: ElementType::F32,
            layout: None,
        };
        assert_eq!(DEFAULT.default_layout(&ty), None);
    }

    #[test]
    fn two_targets_differ_where_the_source_says_so() {
        let (a, b) = (
            TpuTarget::named("v5e").unwrap(),
            TpuTarget::named("v6e").unwrap(),
        );
        assert_eq!((a.mxu_columns, b.mxu_columns), (128, 256));
        assert!(TpuTarget::named("v9").is_none());
    }
}
