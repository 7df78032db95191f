// The buttons of the page that shows how to embed.

const second = document.querySelector("#second");
const read_out = document.querySelector("#read-out");

document.querySelector("#read").addEventListener("click", show);
document.querySelector("#double").addEventListener("click", async () => {
  const problem = await second.get();
  problem.inputs.q[1][0] *= 2;
  await second.set(problem);
  await show();
});

async function show() {
  read_out.textContent = JSON.stringify(await second.get(), null, 2);
}
