//! Builds programs op by op, and random small programs for tests.

use crate::{
    attribute::Attributes,
    error::{Diagnostic, Error},
    location::{Location, SourceOp},
    op::{InferContext, Op, RegionType, violations},
    program::{
        Function, FunctionId, OpId, Operation, Program, Region, RegionId, RegionParent, ValueDef,
        ValueId, ValueInfo,
    },
    types::{ElementType, Type},
};

/// Builds a [`Program`]. Functions and regions are opened and closed like brackets; ops go into the innermost open region.
pub struct ProgramBuilder {
    program: Program,
    open: Vec<RegionId>,
    complaints: Vec<Diagnostic>,
    /// Number every op as its own source op (importers), or keep locations as given (decoders).
    provenance: Provenance,
}

/// Who numbers the source ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// Every op is a source op, numbered as built: importers.
    Number,
    /// Locations carry provenance already: decoders.
    Keep,
}

impl ProgramBuilder {
    pub fn new(name: &str, provenance: Provenance) -> ProgramBuilder {
        let program = Program {
            name: name.to_string(),
            num_replicas: 1,
            num_partitions: 1,
            attributes: Attributes::new(),
            functions: vec![],
            entry: FunctionId(0),
            kernels: vec![],
            ops: vec![],
            values: vec![],
            regions: vec![],
        };
        ProgramBuilder {
            program,
            open: vec![],
            complaints: vec![],
            provenance,
        }
    }

    /// The program so far, for module attributes and function details (aliases, attributes).
    pub fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn ty(&self, v: ValueId) -> &Type {
        self.program.ty(v)
    }

    /// Opens a function and gives its parameters. Result types are those of the values returned.
    pub fn begin_function(
        &mut self,
        name: &str,
        parameters: &[Type],
        location: Location,
    ) -> Vec<ValueId> {
        let id = FunctionId(self.program.functions.len() as u32);
        let body = self.open_region(parameters, RegionParent::Function(id));
        self.program.functions.push(Function {
            name: name.to_string(),
            is_private: false,
            body,
            results: vec![],
            parameter_attributes: vec![Attributes::new(); parameters.len()],
            result_attributes: vec![],
            aliases: vec![],
            location,
        });
        self.program.region(body).arguments.clone()
    }

    /// Ends the open function with `hlo.return` of `values`. Gives the function's id.
    pub fn end_function(&mut self, values: &[ValueId], location: Location) -> FunctionId {
        self.op(
            crate::hlo::Op::Return(crate::hlo::return_::Return).into(),
            values,
            &[],
            vec![],
            location,
        );
        let results: Vec<Type> = values.iter().map(|v| self.program.ty(*v).clone()).collect();
        let body = self.open.pop().unwrap_or(RegionId(0));
        let id = self
            .program
            .functions
            .iter()
            .position(|f| f.body == body)
            .unwrap_or(0);
        let function = &mut self.program.functions[id];
        function.result_attributes = vec![Attributes::new(); results.len()];
        function.results = results;
        FunctionId(id as u32)
    }

    /// Opens a region of the op that comes next and gives its arguments.
    pub fn begin_region(&mut self, arguments: &[Type]) -> Vec<ValueId> {
        // The parent op gets its number when it is built; `op` sets it.
        let region = self.open_region(arguments, RegionParent::Op(OpId(u32::MAX)));
        self.program.region(region).arguments.clone()
    }

    /// Ends the open region with `hlo.return` of `values`. Pass the id to `op`.
    pub fn end_region(&mut self, values: &[ValueId], location: Location) -> RegionId {
        self.op(
            crate::hlo::Op::Return(crate::hlo::return_::Return).into(),
            values,
            &[],
            vec![],
            location,
        );
        self.open.pop().unwrap_or(RegionId(0))
    }

    fn open_region(&mut self, arguments: &[Type], parent: RegionParent) -> RegionId {
        let id = RegionId(self.program.regions.len() as u32);
        let arguments: Vec<ValueId> = arguments
            .iter()
            .enumerate()
            .map(|(i, ty)| {
                self.value(
                    ty.clone(),
                    ValueDef::Argument {
                        region: id,
                        index: i as u32,
                    },
                )
            })
            .collect();
        self.program.regions.push(Region {
            arguments,
            ops: vec![],
            parent,
        });
        self.open.push(id);
        id
    }

    fn value(&mut self, ty: Type, def: ValueDef) -> ValueId {
        self.program.values.push(ValueInfo { ty, def });
        ValueId(self.program.values.len() as u32 - 1)
    }

    /// Adds an op with declared result types to the open region.
    pub fn op(
        &mut self,
        op: Op,
        operands: &[ValueId],
        results: &[Type],
        regions: Vec<RegionId>,
        location: Location,
    ) -> Vec<ValueId> {
        let id = OpId(self.program.ops.len() as u32);
        let mut location = location;
        if self.provenance == Provenance::Number && location.sources.is_empty() {
            location.sources.push(SourceOp(id.0));
        }
        let results = results
            .iter()
            .enumerate()
            .map(|(i, ty)| {
                self.value(
                    ty.clone(),
                    ValueDef::Result {
                        op: id,
                        index: i as u32,
                    },
                )
            })
            .collect::<Vec<_>>();
        for r in &regions {
            self.program.regions[r.index()].parent = RegionParent::Op(id);
        }
        self.program.ops.push(Operation {
            op,
            operands: operands.to_vec(),
            results: results.clone(),
            regions,
            location,
            extra: Attributes::new(),
        });
        if let Some(region) = self.open.last() {
            self.program.regions[region.index()].ops.push(id);
        }
        results
    }

    /// Adds an op whose result types the shape rule gives. A violation is kept for `finish` and the declared types (or none) are taken.
    pub fn infer(
        &mut self,
        op: Op,
        operands: &[ValueId],
        declared: &[Type],
        regions: Vec<RegionId>,
        location: Location,
    ) -> Vec<ValueId> {
        let types: Vec<Type> = operands
            .iter()
            .map(|v| self.program.ty(*v).clone())
            .collect();
        let region_types: Vec<RegionType> = regions
            .iter()
            .map(|r| self.program.region_type(*r))
            .collect();
        let results = match op.infer(&InferContext {
            operands: &types,
            declared,
            regions: &region_types,
        }) {
            Ok(results) => results,
            Err(all) => {
                self.complaints.extend(violations(&op, all, &location));
                declared.to_vec()
            }
        };
        self.op(op, operands, &results, regions, location)
    }

    /// The op added last, to set its extra attributes.
    pub fn last_op_mut(&mut self) -> Option<&mut Operation> {
        self.program.ops.last_mut()
    }

    /// Reports a problem found while building; `finish` fails with it.
    pub fn complain(&mut self, diagnostic: Diagnostic) {
        self.complaints.push(diagnostic);
    }

    /// The verified program. The entry function is `main` if there is one, else the first public one.
    pub fn finish(mut self) -> Result<Program, Error> {
        if !self.complaints.is_empty() {
            return Err(Error::InvalidProgram(self.complaints));
        }
        let by_name = self.program.find_function("main");
        let public = self
            .program
            .functions
            .iter()
            .position(|f| !f.is_private)
            .map(|i| FunctionId(i as u32));
        if self.program.entry.index() == 0
            && let Some(entry) = by_name.or(public)
        {
            self.program.entry = entry;
        }
        self.program.verified()
    }
}

/// Seeded source of random choices for samples of ops.
pub struct Sampler {
    state: u64,
    /// Largest dimension a sample may have.
    pub size: u64,
}

impl Sampler {
    pub fn new(seed: u64, size: u64) -> Sampler {
        Sampler {
            state: crate::planes::ring::mix(seed ^ 0x6a09_e667_f3bc_c908),
            size,
        }
    }

    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        crate::planes::ring::mix(self.state)
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.bits() % (high - low + 1)
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[(self.bits() % of.len() as u64) as usize]
    }

    /// Dimensions of a tensor: rank 0 to 4, sizes 0 rarely, else 1 to `size`.
    pub fn dims(&mut self) -> Vec<u64> {
        let rank = self.range(0, 4);
        (0..rank)
            .map(|_| {
                if self.range(0, 30) == 0 {
                    0
                } else {
                    self.range(1, self.size)
                }
            })
            .collect()
    }

    /// An element type with `accept`.
    pub fn element(&mut self, accept: impl Fn(&ElementType) -> bool) -> ElementType {
        let all: Vec<ElementType> = ElementType::all().filter(|e| accept(e)).collect();
        self.pick(&all).clone()
    }

    /// A program of one op: its operands are the parameters of `main`. The result types come from the shape rule.
    pub fn single(op: impl Into<crate::hlo::Op>, operands: &[Type], declared: &[Type]) -> Program {
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", operands, Location::default());
        let results = b.infer(
            Op::Hlo(op.into()),
            &arguments,
            declared,
            vec![],
            Location::default(),
        );
        b.end_function(&results, Location::default());
        b.program
    }
}
