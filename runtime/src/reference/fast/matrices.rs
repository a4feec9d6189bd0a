//! Batches of matrices inside a flat slice, given by strides: the operands of matrix products, never copied to be transposed.

/// A batch of matrices over `data`: element (b, r, c) is at `b * batch_stride + r * row_stride + c * column_stride`.
/// Columns run along the contracted dimension.
#[derive(Debug, Clone, Copy)]
pub struct Matrices<'a, T> {
    pub data: &'a [T],
    pub batch_stride: usize,
    pub row_stride: usize,
    pub column_stride: usize,
}

/// Sizes of a batched product: out[b, i, j] = sum over l of lhs[b, i, l] * rhs[b, j, l].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub batch: usize,
    /// Rows of the left matrices.
    pub m: usize,
    /// Rows of the right matrices.
    pub n: usize,
    /// Length of the contracted dimension.
    pub k: usize,
}

impl<'a, T: Copy> Matrices<'a, T> {
    /// Row-major matrices of `rows` x `columns`, one after the other.
    pub fn row_major(data: &'a [T], rows: usize, columns: usize) -> Matrices<'a, T> {
        Matrices {
            data,
            batch_stride: rows * columns,
            row_stride: columns,
            column_stride: 1,
        }
    }

    #[inline(always)]
    pub fn at(&self, b: usize, r: usize, c: usize) -> T {
        self.data[b * self.batch_stride + r * self.row_stride + c * self.column_stride]
    }

    /// Whether all elements of `batch` matrices of `rows` x `columns` lie inside the slice.
    pub fn holds(&self, batch: usize, rows: usize, columns: usize) -> bool {
        if batch == 0 || rows == 0 || columns == 0 {
            return true;
        }
        let last = (batch - 1) * self.batch_stride
            + (rows - 1) * self.row_stride
            + (columns - 1) * self.column_stride;
        last < self.data.len()
    }
}
