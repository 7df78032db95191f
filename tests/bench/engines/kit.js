// What several engines need before they are measured.

// K with a column a key, and Q with the scale within: the engines are spared both.
export function transposed({ n, d, k }) {
  const columns = new Float32Array(n * d);
  for (let key = 0; key < n; key++) {
    for (let x = 0; x < d; x++) columns[x * n + key] = k[key * d + x];
  }
  return columns;
}

export function scaled({ q, scale }) {
  return q.map((number) => number * scale);
}

// A script that is no module.
export function script(address) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = address;
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${address} does not load`));
    document.head.append(element);
  });
}

// What draws, or computes, as the browser names it.
export async function adapter() {
  const found = await navigator.gpu?.requestAdapter();
  if (!found) throw new Error("no WebGPU adapter");
  const { vendor, architecture, device, description } = found.info;
  return [...new Set([vendor, architecture, device, description])].filter(Boolean).join(" ");
}
