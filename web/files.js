// Files in and out: chosen, dropped onto the page, and saved from it.

// More is never a problem of this page, and would only fill the memory.
const MOST_BYTES = 512 * 1024 * 1024;

const LONGEST_SIDE = 8192;

// Hands every file that is dropped onto the page to `take(name, bytes)`.
export function take_dropped_files(take) {
  const has_files = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!has_files(event)) return;
    event.preventDefault(); // else the browser opens the file in place of the page
    event.dataTransfer.dropEffect = "copy";
  });
  document.addEventListener(
    "drop",
    (event) => {
      if (!has_files(event)) return;
      event.preventDefault();
      // The app reads no dropped file itself in a browser.
      event.stopImmediatePropagation();
      hand_in(event.dataTransfer.files, take);
    },
    true,
  );
}

// Opens the browser's own dialogue.
export function choose_files(take) {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = ".json,.npy,.npz,.safetensors,.csv,.tsv,.txt";
  input.addEventListener("change", () => hand_in(input.files, take));
  input.click();
}

async function hand_in(files, take) {
  for (const file of files) {
    if (file.size > MOST_BYTES) take(file.name, new Uint8Array(0), file.size);
    else take(file.name, new Uint8Array(await file.arrayBuffer()), file.size);
  }
}

// Lets the browser save a file.
export function save_file(name, mime, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: mime }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Makes pixels of a drawing, at the size of its print, and lets the browser save them.
export async function save_picture(name, svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = address;
  await image.decode();
  URL.revokeObjectURL(address);
  const { width, height } = image;
  // Print has 300 dots an inch, a page 96; no side is longer than every browser can draw.
  const scale = Math.min(300 / 96, LONGEST_SIDE / Math.max(width, height));
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save_file(name, "image/png", await canvas.convertToBlob({ type: "image/png" }));
}
