"""Compiles and runs programs with XLA for the `xla` engine of tileproof, which starts this script as a child process.

Requests come on stdin, answers go to stdout; both are frames: the length of a JSON header (4 bytes, little endian), the header, then the bytes the
header announces. What XLA prints goes to stderr. The script uses nothing of tileproof's Python package.

Request: {"form": "stablehlo" | "hlo" | "optimized_hlo", "program": BYTES, "options": {FLAG: VALUE}, "replicas": N, "partitions": N,
"arguments": [[{"type": T, "dims": [..]}, ..] a device], "results": [{"type": T, "dims": [..]}, ..], "runs": N}, then the program's
text and the arguments' bytes. Answer: {"outcome": "returned", "runs": [[[{"type": T, "dims": [..]}, ..] a device] | null for the bytes of the first
run, ..], "compile_seconds": S, "run_seconds": [S, ..]}, then the results' bytes; or {"outcome": "failed", "class": "out_of_memory" | "compile" | "run" | "unsupported", "message": TEXT}.

An "optimized_hlo" program is a scheduled module that is given to the code generator as it is: it takes the place of a stand-in of the same
arguments and results after the last HLO pass. Its arguments and results are row-major.
"""

import contextlib
import json
import os
import re
import struct
import sys
import time
from collections import OrderedDict

KEPT_EXECUTABLES = 64
POST_SCHEDULER = 1


def start():
    """Modules of JAX, imported late so that a missing one is told over the protocol."""
    import jax
    import ml_dtypes
    import numpy as np
    from jax._src.lib import xla_client
    from jaxlib import _hlo, _jax

    jax.config.update("jax_enable_x64", True)
    # Programs come here without JAX's lowering, which else makes the LAPACK calls known.
    with contextlib.suppress(ImportError, AttributeError):
        from jaxlib import lapack

        lapack._lapack.initialize()
    return jax, np, ml_dtypes, xla_client, _hlo, _jax


class Failed(Exception):
    """An outcome other than results."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind
        self.message = message


def dtypes(np, ml_dtypes):
    """NumPy types by the names MLIR has for element types."""
    names = {
        "i1": np.bool_,
        "bf16": ml_dtypes.bfloat16,
        "f16": np.float16,
        "f32": np.float32,
        "f64": np.float64,
        "complex<f32>": np.complex64,
        "complex<f64>": np.complex128,
        "f4E2M1FN": "float4_e2m1fn",
        "f8E3M4": "float8_e3m4",
        "f8E4M3": "float8_e4m3",
        "f8E4M3FN": "float8_e4m3fn",
        "f8E4M3FNUZ": "float8_e4m3fnuz",
        "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
        "f8E5M2": "float8_e5m2",
        "f8E5M2FNUZ": "float8_e5m2fnuz",
        "f8E8M0FNU": "float8_e8m0fnu",
    }
    for bits in (2, 4, 8, 16, 32, 64):
        home = ml_dtypes if bits < 8 else np
        names[f"i{bits}"] = getattr(home, f"int{bits}")
        names[f"ui{bits}"] = getattr(home, f"uint{bits}")
    return {k: np.dtype(getattr(ml_dtypes, v) if isinstance(v, str) else v) for k, v in names.items()}


class Compiler:
    """XLA of this process."""

    def __init__(self):
        self.jax, self.np, ml_dtypes, self.client, self.hlo, self.lib = start()
        self.dtypes = dtypes(self.np, ml_dtypes)
        self.names = {v: k for k, v in self.dtypes.items()}
        self.executables = OrderedDict()
        self.replacement = None
        self.replaced = False
        self.hooked = False

    def hook(self):
        """Registers the replacement of the module after the last HLO pass, once."""
        if self.hooked:
            return
        try:
            from jaxlib import _xla

            _xla.register_xla_transform("tileproof", POST_SCHEDULER, self.replace)
        except (ImportError, AttributeError) as e:
            raise Failed("unsupported", f"running an optimized module with this jaxlib: {e}") from e
        self.hooked = True

    def replace(self, _module):
        if self.replacement is not None:
            self.replaced = True
        return self.replacement

    def stand_in(self, request):
        """A program of the same arguments and results."""
        tensor = lambda t, element=None: f"tensor<{''.join(f'{d}x' for d in t['dims'])}{element or t['type']}>"
        inputs = request["arguments"][0] if request["arguments"] else []
        results = request["results"]
        lines = []
        for i, t in enumerate(results):
            lines.append(f"%c{i} = stablehlo.constant dense<0> : {tensor(t, 'i8')}")
            lines.append(f"%r{i} = stablehlo.convert %c{i} : ({tensor(t, 'i8')}) -> {tensor(t)}")
        values = ", ".join(f"%r{i}" for i in range(len(results)))
        types = ", ".join(tensor(t) for t in results)
        lines.append(f"return {values} : {types}" if results else "return")
        parameters = ", ".join(f"%a{i}: {tensor(t)}" for i, t in enumerate(inputs))
        body = "\n    ".join(lines)
        return f"module @stand_in {{\n  func.func public @main({parameters}) -> ({types}) {{\n    {body}\n  }}\n}}\n"

    def module(self, text):
        """The serialized module of HLO text. XLA's parser takes `-0` for the integer 0, which its printer writes for the float."""
        zeros = lambda line: re.sub(r"(?<=[({, ])-0(?=[)}, ])", "-0.0", line[0])
        text = re.sub(r"^.* constant\(.*$", zeros, text, flags=re.MULTILINE)
        try:
            return self.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
        except Exception as e:
            raise Failed("compile", f"XLA cannot read the HLO text: {e}") from e

    def executable(self, request, text, devices):
        key = json.dumps([request[k] for k in ("form", "options", "replicas", "partitions")]) + text
        if request["form"] == "optimized_hlo":
            key += json.dumps([request["arguments"][:1], request["results"]])
        if key in self.executables:
            self.executables.move_to_end(key)
            return self.executables[key]
        form = request["form"]
        program = text
        if form == "hlo":
            computation = self.hlo.XlaComputation(self.module(text))
            program = self.lib.mlir.xla_computation_to_mlir_module(computation)
        elif form == "optimized_hlo":
            self.hook()
            self.replacement, self.replaced = self.module(packed(text)), False
            program = self.stand_in(request)
        options = self.client.CompileOptions()
        build = options.executable_build_options
        build.num_replicas = options.num_replicas = request["replicas"]
        build.num_partitions = options.num_partitions = request["partitions"]
        if request["partitions"] > 1:
            build.use_spmd_partitioning = True
        if len(devices) > 1:
            grid = self.np.arange(len(devices)).reshape(request["replicas"], request["partitions"])
            assignment = self.client.DeviceAssignment.create(grid)
            build.device_assignment = options.device_assignment = assignment
        options.env_option_overrides = list(request["options"].items())
        try:
            client = devices[0].client
            made = client.compile_and_load(program, self.client.DeviceList(tuple(devices)), options)
        finally:
            self.replacement = None
        if form == "optimized_hlo" and not self.replaced:
            raise Failed("unsupported", "running an optimized module on this platform")
        self.executables[key] = made
        while len(self.executables) > KEPT_EXECUTABLES:
            self.executables.popitem(last=False)
        return made

    def arrays(self, request, arguments, devices):
        """The arguments on their devices. New ones a run: a program may take their buffers."""
        np, jax = self.np, self.jax
        sharding = jax.sharding.SingleDeviceSharding(devices[0])
        if len(devices) > 1:
            mesh = jax.sharding.Mesh(np.array(devices), ("device",))
            sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
        out = []
        for i in range(len(arguments[0]) if arguments else 0):
            parts = [jax.device_put(arguments[min(d, len(arguments) - 1)][i], device) for d, device in enumerate(devices)]
            if len(parts) == 1:
                out.append(parts[0])
            else:
                out.append(jax.make_array_from_single_device_arrays(parts[0].shape, sharding, parts))
        return out

    def bytes(self, v):
        """The elements; integers of less than a byte have one each with their sign, of which JAX leaves the upper bits open."""
        home = {"int": self.np.int8, "uint": self.np.uint8}.get(v.dtype.name.rstrip("24"))
        return self.np.ascontiguousarray(v if home is None else v.astype(home)).tobytes()

    def run(self, request, payload):
        count = request["replicas"] * request["partitions"]
        devices = self.jax.devices()[:count]
        if len(devices) < count:
            raise Failed("unsupported", f"a grid of {count} devices on a platform with {len(devices)}")
        text, at = payload[: request["program"]].decode(), request["program"]
        arguments = []
        for device in request["arguments"]:
            values = []
            for t in device:
                dtype = self.dtypes.get(t["type"])
                if dtype is None:
                    raise Failed("unsupported", f"element type {t['type']} in JAX")
                n = int(self.np.prod(t["dims"], dtype=self.np.int64)) * dtype.itemsize
                values.append(self.np.frombuffer(payload[at : at + n], dtype).reshape(t["dims"]))
                at += n
            arguments.append(values)
        begun = time.perf_counter()
        try:
            executable = self.executable(request, text, devices)
        except Failed:
            raise
        except Exception as e:
            raise Failed(kind_of(e, "compile"), str(e)) from e
        compiling, seconds = time.perf_counter() - begun, []
        runs, data, first = [], [], None
        for _ in range(request["runs"]):
            try:
                arrays = self.arrays(request, arguments, devices)
                self.jax.block_until_ready(arrays)
                begun = time.perf_counter()
                results = executable.execute_sharded(arrays)
                per_result = results.disassemble_into_single_device_arrays()
                self.jax.block_until_ready(per_result)
                seconds.append(time.perf_counter() - begun)
                per_device = [[self.np.asarray(r[d]) for r in per_result] for d in range(count)]
            except Exception as e:
                raise Failed(kind_of(e, "run"), str(e)) from e
            content = [self.bytes(v) for device in per_device for v in device]
            if content == first:
                runs.append(None)
                continue
            first = first or content
            runs.append([[{"type": self.names.get(v.dtype, str(v.dtype)), "dims": list(v.shape)} for v in device] for device in per_device])
            data.extend(content)
        return {"outcome": "returned", "runs": runs, "compile_seconds": compiling, "run_seconds": seconds}, data


def packed(text):
    """The text of an optimized module with element sizes in the layouts of types of less than a byte, which XLA packs in its last passes."""
    shape = re.compile(r"\b(s|u|f)([24])(e2m1fn)?(\[[\d,]+\]\{([\d,]+)\}|\[\](?!\{))")

    def with_size(m):
        dims, order = m[4].split("{")[0], m[5] or ""
        return f"{m[1]}{m[2]}{m[3] or ''}{dims}{{{order}:E({m[2]})}}"

    return shape.sub(with_size, text)


def kind_of(error, where):
    """Class of an exception of XLA raised during `where`."""
    text = str(error)
    if "RESOURCE_EXHAUSTED" in text or isinstance(error, MemoryError):
        return "out_of_memory"
    return "unsupported" if "UNIMPLEMENTED" in text else where


def read(stream, n):
    out = b""
    while len(out) < n:
        part = stream.read(n - len(out))
        if not part:
            return None
        out += part
    return out


def main():
    # Only answers go to the real stdout; what XLA prints goes to stderr.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(header, data=()):
        text = json.dumps(header).encode()
        answers.write(struct.pack("<I", len(text)) + text)
        for part in data:
            answers.write(part)
        answers.flush()

    try:
        compiler = Compiler()
        platform = compiler.jax.devices()[0].platform
    except Exception as e:
        answer({"outcome": "failed", "class": "start", "message": f"{type(e).__name__}: {e}"})
        return
    answer({"outcome": "ready", "jax": compiler.jax.__version__, "jaxlib": sys.modules["jaxlib"].__version__, "platform": platform})
    while True:
        length = read(sys.stdin.buffer, 4)
        if length is None:
            return
        request = json.loads(read(sys.stdin.buffer, struct.unpack("<I", length)[0]))
        payload = read(sys.stdin.buffer, request["payload"])
        try:
            answer(*compiler.run(request, payload))
        except Failed as e:
            answer({"outcome": "failed", "class": e.kind, "message": e.message})
        except MemoryError as e:
            answer({"outcome": "failed", "class": "out_of_memory", "message": str(e)})


if __name__ == "__main__":
    main()
