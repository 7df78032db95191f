"""Writes flash.json: FlashAttention block by block and decoding with a cache, by NumPy alone: python flash.py.

Written from the papers (Dao et al. 2022, algorithm 1 with rows outside; Milakov and Gimelshein 2018), not from the
program that it judges. `tests/flash.rs` and `tests/cache.rs` compare.
"""

import json

import numpy as np

draw = np.random.default_rng(20).normal


def numbers(*shape):
    return np.round(draw(size=shape), 2)


def rotate(x, position, base):
    """RoPE, interleaved: the pair (2i, 2i + 1) turned by position * base^(-2i/d)."""
    d = x.shape[-1]
    theta = position * base ** (-np.arange(0, d, 2) / d)
    turned = np.empty_like(x)
    turned[0::2] = x[0::2] * np.cos(theta) - x[1::2] * np.sin(theta)
    turned[1::2] = x[0::2] * np.sin(theta) + x[1::2] * np.cos(theta)
    return turned


def heads_of(problem):
    """Per query head: q and k as they are compared, v, and the function (i, j) -> score or None where hidden."""
    inputs = {name: np.array(value) for name, value in problem["inputs"].items()}
    if "x" in inputs:
        q, k, v = (inputs["x"] @ inputs[name] for name in ("w_q", "w_k", "w_v"))
    else:
        q, k, v = inputs["q"], inputs["k"], inputs["v"]
    query = problem["heads"]["query"]
    key_value = problem["heads"]["key_value"]
    n, m = len(q), len(k)
    position = problem.get("position", {"kind": "none"})
    mask = problem.get("mask", {})
    for head in range(query):
        group = head // (query // key_value)
        d_k, d_v = q.shape[1] // query, v.shape[1] // key_value
        q_head, k_head = q[:, head * d_k :][:, :d_k], k[:, group * d_k :][:, :d_k]
        v_head = v[:, group * d_v :][:, :d_v]
        if position["kind"] == "rope":
            q_head = np.array([rotate(row, i + m - n, position["base"]) for i, row in enumerate(q_head)])
            k_head = np.array([rotate(row, j, position["base"]) for j, row in enumerate(k_head)])

        def score(i, j, head=head, q_head=q_head, k_head=k_head, d_k=d_k):
            at = i + m - n
            if mask.get("causal") == "lower_right" and j > at:
                return None
            if "window" in mask and j < at - mask["window"]["left"]:
                return None
            if not mask.get("key_padding", [True] * m)[j]:
                return None
            s = q_head[i] @ k_head[j] / np.sqrt(d_k)
            if "softcap" in problem:
                s = problem["softcap"] * np.tanh(s / problem["softcap"])
            if position["kind"] == "alibi":
                s -= position["slopes"][head] * abs(at - j)
            return s

        yield head, v_head, score, n, m


def shown(value):
    return "-inf" if value == -np.inf else float(value)


def flash(problem, rows, keys):
    blocks, outputs = [], []
    for head, v, score, n, m in heads_of(problem):
        output = np.zeros((n, v.shape[1]))
        for r in range(0, n, rows):
            r_end = min(r + rows, n)
            top = [-np.inf] * (r_end - r)
            total = [0.0] * (r_end - r)
            acc = np.zeros((r_end - r, v.shape[1]))
            for c in range(0, m, keys):
                c_end = min(c + keys, m)
                factors = []
                for i in range(r, r_end):
                    seen = [(j, s) for j in range(c, c_end) if (s := score(i, j)) is not None]
                    new = max([top[i - r]] + [s for _, s in seen])
                    factor = 1.0 if new == -np.inf else np.exp(top[i - r] - new)
                    total[i - r] = factor * total[i - r] + sum(np.exp(s - new) for _, s in seen)
                    acc[i - r] = factor * acc[i - r] + sum((np.exp(s - new) * v[j] for j, s in seen), 0 * acc[0])
                    top[i - r] = new
                    factors.append(float(factor))
                blocks.append(
                    {
                        "head": head,
                        "rows": [r, r_end],
                        "keys": [c, c_end],
                        "m": [shown(value) for value in top],
                        "rescale": factors,
                        "l": [float(value) for value in total],
                        "o": acc.tolist(),
                    }
                )
            if "sink" in problem:
                for i in range(r_end - r):
                    new = max(top[i], problem["sink"][head])
                    factor = np.exp(top[i] - new)
                    total[i] = factor * total[i] + np.exp(problem["sink"][head] - new)
                    acc[i] = factor * acc[i]
            for i in range(r, r_end):
                output[i] = acc[i - r] / total[i - r] if total[i - r] > 0 else 0
        outputs.append(output)
    output = np.concatenate(outputs, axis=1)
    if "w_o" in problem["inputs"]:
        output = output @ np.array(problem["inputs"]["w_o"]) + np.array(problem["inputs"].get("b_o", 0.0))
    return blocks, output.tolist()


def decode(problem):
    """Per token the weights over the cache, a list of heads, under the problem's own (causal) rules."""
    steps = []
    for head, v, score, n, m in heads_of(problem):
        for i in range(n):
            cached = i + m - n + 1
            logits = np.array([-np.inf if (s := score(i, j)) is None else s for j in range(cached)])
            with_sink = np.append(logits, problem["sink"][head]) if "sink" in problem else logits
            e = np.exp(with_sink - with_sink.max())
            weights = (e / e.sum())[:cached]
            if head == 0:
                steps.append([])
            steps[i].append(weights.tolist())
    return steps


PROBLEMS = [
    {
        "format": "attnlab/1",
        "title": "two heads share one key/value head; four queries, seven keys",
        "inputs": {"q": numbers(4, 4).tolist(), "k": numbers(7, 2).tolist(), "v": numbers(7, 3).tolist()},
        "heads": {"query": 2, "key_value": 1},
        "mask": {"causal": "lower_right"},
    },
    {
        "format": "attnlab/1",
        "title": "ALiBi, softcap, padding, and a sink above every score of the second head",
        "inputs": {"q": numbers(5, 4).tolist(), "k": numbers(5, 4).tolist(), "v": numbers(5, 2).tolist()},
        "heads": {"query": 2, "key_value": 2},
        "softcap": 2.0,
        "position": {"kind": "alibi", "slopes": [0.5, 0.25]},
        "sink": [-1.0, 4.0],
        "mask": {"causal": "lower_right", "key_padding": [False, True, True, False, True]},
    },
    {
        "format": "attnlab/1",
        "title": "RoPE, a window, projections on both ends",
        "inputs": {
            "x": numbers(6, 3).tolist(),
            "w_q": numbers(3, 8).tolist(),
            "w_k": numbers(3, 8).tolist(),
            "w_v": numbers(3, 4).tolist(),
            "w_o": numbers(4, 3).tolist(),
            "b_o": numbers(3).tolist(),
        },
        "heads": {"query": 2, "key_value": 2},
        "position": {"kind": "rope", "base": 100.0},
        "mask": {"causal": "lower_right", "window": {"left": 2}},
    },
]
SIZES = [(2, 3), (2, 2), (4, 1)]

if __name__ == "__main__":
    cases = []
    for problem, (rows, keys) in zip(PROBLEMS, SIZES):
        blocks, output = flash(problem, rows, keys)
        cases.append(
            {
                "problem": problem,
                "rows": rows,
                "keys": keys,
                "blocks": blocks,
                "output": output,
                "decode_weights": decode(problem),
            }
        )
    with open("flash.json", "w", encoding="utf-8") as file:
        # One block a line.
        text = json.dumps(cases).replace('{"head"', '\n{"head"').replace('{"problem"', '\n{"problem"')
        file.write(text + "\n")
