"""Writes the sample files of this folder: python make.py, with numpy, safetensors and ml_dtypes installed."""
import numpy as np, ml_dtypes
from safetensors.numpy import save_file

a = np.array([[1.0, 2.5], [-3.0, 0.1]])
np.save("f64.npy", a)
np.save("f32_fortran.npy", np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)))
np.save("f32_fortran_3d.npy", np.asfortranarray(np.arange(24, dtype=np.float32).reshape(2, 3, 4)))
np.save("f16.npy", a.astype(np.float16))
np.save("bf16.npy", a.astype(ml_dtypes.bfloat16))
np.save("i64_big_endian.npy", np.array([[1, -2], [3, 4]], dtype=">i8"))
np.save("bool.npy", np.array([[True, False], [True, True]]))
np.save("non_finite.npy", np.array([[0.0, -np.inf], [np.nan, np.inf]]))
np.save("scalar.npy", np.float64(0.5))
np.save("complex.npy", np.array([1j]))
np.save("object.npy", np.array([{}], dtype=object), allow_pickle=True)
np.savez("two.npz", q=a, k=np.arange(4, dtype=np.uint8).reshape(2, 2))
np.savez_compressed("packed.npz", q=a, zeros=np.zeros((64, 64), dtype=np.float32))
save_file(
    {
        "q_proj.weight": np.arange(6, dtype=np.float32).reshape(3, 2),
        "hidden_states": a[None].astype(np.float16),
        "scale": a.astype(ml_dtypes.bfloat16),
        "steps": np.array([1, 2], dtype=np.int64),
    },
    "layer.safetensors",
)
