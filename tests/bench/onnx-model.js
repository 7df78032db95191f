// Attention as ONNX models, written byte by byte: a model is a protobuf message, and few of its fields are needed.
// Their numbers are those of onnx.proto.

const FLOAT = 1; // TensorProto.DataType

// Scores, weights, output; k has a column a key, and q has the scale within.
export function plain(n, d) {
  const nodes = [
    node("MatMul", ["q", "k"], "scores"),
    node("Softmax", ["scores"], "weights"),
    node("MatMul", ["weights", "v"], "o"),
  ];
  return model(nodes, { q: [n, d], k: [d, n], v: [n, d] }, { o: [n, d] });
}

// The operator of onnxruntime, with one head.
export function fused(n, d) {
  const shape = [1, n, d];
  const node_of_one = node("MultiHeadAttention", ["q", "k", "v"], "o", "com.microsoft", { num_heads: 1 });
  return model([node_of_one], { q: shape, k: shape, v: shape }, { o: shape });
}

function model(nodes, inputs, outputs) {
  const graph = [
    ...nodes.map((node) => bytes(1, node)),
    text(2, "attention"),
    ...Object.entries(inputs).map(([name, shape]) => bytes(11, value(name, shape))),
    ...Object.entries(outputs).map(([name, shape]) => bytes(12, value(name, shape))),
  ];
  const operators = (domain, version) => bytes(8, [text(1, domain), number(2, version)]);
  const ir_version = number(1, 8);
  const fields = [ir_version, bytes(7, graph), operators("", 17), operators("com.microsoft", 1)];
  return Uint8Array.from(fields.flat(Infinity));
}

function node(operator, inputs, output, domain = "", attributes = {}) {
  const INT = 2; // AttributeProto.AttributeType
  return [
    ...inputs.map((name) => text(1, name)),
    text(2, output),
    text(4, operator),
    ...Object.entries(attributes).map(([name, i]) => bytes(5, [text(1, name), number(3, i), number(20, INT)])),
    text(7, domain),
  ];
}

function value(name, shape) {
  const dimensions = shape.map((size) => bytes(1, number(1, size)));
  const tensor = [number(1, FLOAT), bytes(2, dimensions)];
  return [text(1, name), bytes(2, bytes(1, tensor))];
}

// A field is its number with its kind (0 a number, 2 bytes), then what it holds; bytes follow their length.
const number = (field, content) => [varint(field << 3), varint(content)];
const bytes = (field, content) => {
  const flat = content.flat(Infinity);
  return [varint((field << 3) | 2), varint(flat.length), flat];
};
const text = (field, content) => bytes(field, [...new TextEncoder().encode(content)]);

// 7 bits a byte, the lowest first.
const varint = (content) => (content < 128 ? [content] : [(content % 128) + 128, varint(Math.floor(content / 128))]);
