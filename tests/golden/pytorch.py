"""Writes pytorch.json: every variant of the problem file, by PyTorch in float64: python pytorch.py.

Written from the format and the papers that it names, with PyTorch's own functions (scaled_dot_product_attention,
MultiheadAttention, softmax, elu, bilinear, complex multiplication for RoPE), not from the program that it judges.
`tests/pytorch.rs` compares.
"""

import json
import math

import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
draw = torch.Generator().manual_seed(7)

WIDEST_GAP = 1e-13


def numbers(*shape):
    return (torch.randn(*shape, generator=draw) * 100).round().div(100).tolist()


def split(whole, heads):
    """(tokens, heads * d) -> (heads, tokens, d)."""
    return whole.reshape(whole.shape[0], heads, -1).transpose(0, 1)


def sinusoidal(positions, width, base):
    """Vaswani et al. 2017, section 3.5."""
    angles = torch.arange(positions).double()[:, None] / base ** (torch.arange(0, width, 2).double() / width)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :width]


def rotate(x, positions, rope):
    """Su et al. 2021: pairs as complex numbers, times exp(i p theta)."""
    d = x.shape[-1]
    base, scaling = rope.get("base", 10000.0), rope.get("scaling", {"kind": "none"})
    positions = positions + rope.get("offset", 0)
    if scaling["kind"] == "linear":  # Chen et al. 2023
        positions = positions / scaling["factor"]
    if scaling["kind"] == "ntk":
        base = base * scaling["factor"] ** (d / (d - 2))
    theta = 1.0 / base ** (torch.arange(0, d, 2).double() / d)
    turn = torch.polar(torch.ones(len(positions), d // 2), torch.outer(positions, theta))
    if rope.get("layout", "interleaved") == "interleaved":
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
        return torch.view_as_real(pairs * turn).flatten(-2)
    pairs = torch.complex(x[..., : d // 2].contiguous(), x[..., d // 2 :].contiguous()) * turn
    return torch.cat([pairs.real, pairs.imag], -1)


def split_mix(seed):
    """SplitMix64 (Steele et al. 2014)."""
    most = 2**64 - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & most
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & most
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & most
        yield z ^ (z >> 31)


def visible(mask, n, m, stand):
    see = torch.ones(n, m, dtype=torch.bool)
    j = torch.arange(m)[None, :]
    if mask.get("causal", "none") == "upper_left":
        see = see.tril()
    if mask.get("causal", "none") == "lower_right":
        see = see.tril(m - n)
    if "window" in mask:
        left, right = mask["window"].get("left", m + n), mask["window"].get("right", m + n)
        near = (j >= stand[:, None] - left) & (j <= stand[:, None] + right)
        for position in mask.get("global", []):
            near |= (stand[:, None] == position) | (j == position)
        see &= near
    if "key_padding" in mask:
        see &= torch.tensor(mask["key_padding"], dtype=torch.bool)[None, :]
    if "allow" in mask:
        see &= torch.tensor(mask["allow"], dtype=torch.bool)
    return see


def solve(problem):
    """Everything that is compared, by its key in the trace."""
    steps = {}
    inputs = {name: torch.tensor(value).double() for name, value in problem["inputs"].items()}
    heads = problem.get("heads", {"query": 1})
    h_q = heads["query"]
    h_kv = heads.get("key_value", h_q)
    position = problem.get("position", {"kind": "none"})
    cross = "memory" in problem or "x_kv" in inputs
    if "x" in inputs:

        def encoded(x):
            if position["kind"] == "sinusoidal":
                return x + sinusoidal(*x.shape, position.get("base", 10000.0))
            if position["kind"] == "learned":
                return x + F.embedding(torch.arange(len(x)), torch.tensor(position["table"]).double())
            return x

        x = encoded(inputs["x"])
        x_kv = encoded(inputs["x_kv"]) if "x_kv" in inputs else x
        project = lambda x, which: F.linear(x, inputs[f"w_{which}"].T, inputs.get(f"b_{which}"))
        q, k, v = project(x, "q"), project(x_kv, "k"), project(x_kv, "v")
    else:
        q, k, v = inputs["q"], inputs["k"], inputs["v"]
    q, k, v = split(q, h_q), split(k, h_kv), split(v, h_kv)
    k, v = (part.repeat_interleave(h_q // h_kv, 0) for part in (k, v))
    n, m, d_k = q.shape[1], k.shape[1], q.shape[2]
    stand = torch.arange(n) + (0 if cross else m - n)
    if position["kind"] == "rope":
        q, k = rotate(q, stand.double(), position), rotate(k, torch.arange(m).double(), position)
        steps["q_rotated"], steps["k_rotated"] = q, k

    linear = problem.get("normalise", {}).get("kind") == "linear"
    if linear:
        q, k = F.elu(q) + 1, F.elu(k) + 1
    score = problem.get("score", {"kind": "dot"})
    weight = {name: torch.tensor(value).double() for name, value in score.items() if name != "kind"}
    if score["kind"] == "dot":
        s = q @ k.mT
    else:
        left = q[:, :, None].expand(-1, -1, m, -1)
        right = k[:, None].expand(-1, n, -1, -1)
        if score["kind"] == "general":
            s = F.bilinear(left.contiguous(), right.contiguous(), weight["w"][None])[..., 0]
        elif score["kind"] == "concat":
            s = torch.tanh(torch.cat([left, right], -1) @ weight["w"]) @ weight["v"]
        else:
            s = torch.tanh(left @ weight["w_q"] + right @ weight["w_k"]) @ weight["v"]
    steps["scores"] = s

    see = visible(problem.get("mask", {}), n, m, stand)
    scale = problem.get("scale", "inverse_sqrt")
    scale = {"inverse_sqrt": 1 / math.sqrt(d_k), "none": 1.0}.get(scale, scale)
    if not linear:
        s = s * scale
        steps["scaled"] = s
        if "softcap" in problem:
            s = problem["softcap"] * torch.tanh(s / problem["softcap"])
            steps["capped"] = s
        added = torch.zeros(h_q, n, m)
        if position["kind"] == "alibi":
            distance = (stand[:, None] - torch.arange(m)[None, :]).abs()
            added -= torch.tensor(position["slopes"]).double()[:, None, None] * distance
        if "bias" in problem:
            added = added + torch.tensor(problem["bias"]).double()
        if position["kind"] == "alibi" or "bias" in problem:
            s = s + added
            steps["biased"] = s
    kind = problem.get("normalise", {}).get("kind", "softmax")
    if kind == "softmax":
        logits = s.masked_fill(~see, -math.inf)
        if "sink" in problem:
            sink = torch.tensor(problem["sink"]).double()[:, None, None].expand(-1, n, 1)
            logits = torch.cat([logits, sink], -1)
        weights = torch.softmax(logits, -1)[..., :m].nan_to_num(0.0)
    else:
        weights = s * see
        weights = weights / weights.sum(-1, keepdim=True)
    dropout = problem.get("dropout", {"p": 0.0})
    if dropout["p"] > 0:
        random = split_mix(dropout["seed"])
        kept = torch.tensor([(next(random) >> 11) * 2.0**-53 >= dropout["p"] for _ in range(weights.numel())])
        weights = weights * kept.reshape(weights.shape) / (1 - dropout["p"])
    steps["weights"] = weights
    context = weights @ v
    output = context.transpose(0, 1).flatten(1)
    steps["context"] = context

    plain = kind == "softmax" and score["kind"] == "dot" and dropout["p"] == 0
    if plain and not {"sink", "softcap"} & set(problem) and bool(see.any(-1).all()):
        # PyTorch's own function on the same tensors; it is what is written down.
        own = F.scaled_dot_product_attention(
            q[None], k[None], v[None], attn_mask=added.masked_fill(~see, -math.inf)[None], scale=scale
        )[0]
        assert (own - context).abs().max() <= WIDEST_GAP, "scaled_dot_product_attention disagrees"
        steps["context"], output = own, own.transpose(0, 1).flatten(1)
    if "w_o" in inputs:
        output = F.linear(output, inputs["w_o"].T, inputs.get("b_o"))
    steps["output"] = output
    return steps


def multihead(problem):
    """torch.nn.MultiheadAttention on a problem with projections and biases: its output and its weights."""
    inputs = {name: torch.tensor(value).double() for name, value in problem["inputs"].items()}
    width, heads = inputs["x"].shape[1], problem["heads"]["query"]
    module = torch.nn.MultiheadAttention(width, heads, batch_first=True)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([inputs[f"w_{which}"].T for which in "qkv"]))
        module.in_proj_bias.copy_(torch.cat([inputs[f"b_{which}"] for which in "qkv"]))
        module.out_proj.weight.copy_(inputs["w_o"].T)
        module.out_proj.bias.copy_(inputs["b_o"])
        x, n = inputs["x"], len(inputs["x"])
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1) if "mask" in problem else None
        keys = inputs.get("x_kv", x)
        output, weights = module(x[None], keys[None], keys[None], attn_mask=hidden, average_attn_weights=False)
    return {"weights": weights[0], "output": output[0]}


def direct(n=4, m=4, h_q=1, h_kv=None, d_k=4, d_v=3):
    h_kv = h_kv or h_q
    inputs = {"q": numbers(n, h_q * d_k), "k": numbers(m, h_kv * d_k), "v": numbers(m, h_kv * d_v)}
    return {"inputs": inputs, "heads": {"query": h_q, "key_value": h_kv}}


def projected(n=4, m=None, width=4, heads=2, d=2):
    inputs = {"x": numbers(n, width)}
    if m:
        inputs["x_kv"] = numbers(m, width)
    for which in "qkv":
        inputs[f"w_{which}"], inputs[f"b_{which}"] = numbers(width, heads * d), numbers(heads * d)
    inputs["w_o"], inputs["b_o"] = numbers(heads * d, width), numbers(width)
    return {"inputs": inputs, "heads": {"query": heads, "key_value": heads}}


def rope(**more):
    return {"position": {"kind": "rope", **more}}


LINEAR = {"normalise": {"kind": "linear", "feature_map": "elu_plus_one"}}
CAUSAL = {"mask": {"causal": "lower_right"}}
CASES = {
    "plain": direct(),
    "scale none": {**direct(), "scale": "none"},
    "scale by a number": {**direct(), "scale": 0.25},
    "general": {**direct(), "score": {"kind": "general", "w": numbers(4, 4)}},
    "concat": {**direct(), "scale": "none", "score": {"kind": "concat", "w": numbers(8, 3), "v": numbers(3)}},
    "additive": {
        **direct(),
        "scale": "none",
        "score": {"kind": "additive", "w_q": numbers(4, 3), "w_k": numbers(4, 3), "v": numbers(3)},
    },
    "softcap": {**direct(), **CAUSAL, "softcap": 1.5},
    "sinusoidal": {**projected(), "position": {"kind": "sinusoidal", "base": 100}},
    "learned": {**projected(), "position": {"kind": "learned", "table": numbers(6, 4)}},
    "rope": {**direct(), **rope(base=100)},
    "rope half split": {**direct(h_q=2), **rope(base=100, layout="half_split")},
    "rope offset": {**direct(), **rope(base=100, offset=7)},
    "rope linear": {**direct(), **rope(base=100, offset=3, scaling={"kind": "linear", "factor": 4})},
    "rope ntk": {**direct(), **rope(base=100, layout="half_split", scaling={"kind": "ntk", "factor": 4})},
    "rope of a cached step": {**direct(n=1, m=5), **rope(base=100), **CAUSAL},
    "alibi": {**direct(h_q=2), **CAUSAL, "position": {"kind": "alibi", "slopes": [0.5, 0.25]}},
    "alibi of a cached step": {**direct(n=2, m=5), "position": {"kind": "alibi", "slopes": [0.5]}},
    "bias for all heads": {**direct(h_q=2), "bias": numbers(4, 4)},
    "bias for each head": {**direct(h_q=2), "bias": numbers(2, 4, 4)},
    "sink": {**direct(h_q=2), **CAUSAL, "sink": [0.5, -1.0]},
    "linear": {**direct(), **LINEAR},
    "linear causal with rope": {**direct(h_q=2), **CAUSAL, **rope(base=100), **LINEAR},
    # Positive numbers, so that no sum is next to zero.
    "sum": {
        "inputs": {name: torch.tensor(value).abs().add(0.1).tolist() for name, value in direct()["inputs"].items()},
        **CAUSAL,
        "normalise": {"kind": "sum"},
    },
    "dropout": {**direct(h_q=2), "dropout": {"p": 0.4, "seed": 11}},
    "grouped queries": {**direct(h_q=4, h_kv=2, d_k=2), **CAUSAL},
    "one key/value head": direct(h_q=4, h_kv=1, d_k=2),
    "cross attention": {**direct(n=3, m=5), "memory": list("abcde"), **rope(base=100)},
    "cross attention, projected": projected(n=3, m=5),
    "window": {**direct(n=6, m=6), "mask": {"causal": "lower_right", "window": {"left": 2, "right": 0}}},
    "window and global": {**direct(n=6, m=6), "mask": {"window": {"left": 1, "right": 1}, "global": [0]}},
    "causal, upper left": {**direct(n=3, m=5), "mask": {"causal": "upper_left"}},
    "padding and painting": {
        **direct(),
        "mask": {"key_padding": [True, True, True, False], "allow": [[1, 0, 1, 1], [0, 0, 0, 1], [1] * 4, [1] * 4]},
    },
    "multi-head, causal": {**projected(), **CAUSAL},
    "multi-head": projected(heads=4, d=1),
}
JUDGED_BY_MODULE = ["multi-head, causal", "multi-head", "cross attention, projected"]

if __name__ == "__main__":
    cases = []
    for name, problem in CASES.items():
        steps = solve(problem)
        if name in JUDGED_BY_MODULE:
            own = multihead(problem)
            for key, value in own.items():
                assert (value - steps[key]).abs().max() <= WIDEST_GAP, f"MultiheadAttention disagrees: {name}, {key}"
            steps.update(own)
        expect = {}
        for key, value in steps.items():
            if value.dim() == 3:
                expect.update({f"{key}/{head}": of_head.tolist() for head, of_head in enumerate(value)})
            else:
                expect[key] = value.tolist()
        cases.append({"name": name, "problem": {"format": "attnlab/1", **problem}, "expect": expect})
    with open("pytorch.json", "w", encoding="utf-8") as file:
        # One case a line.
        file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
