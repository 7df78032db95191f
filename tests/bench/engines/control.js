// Our own, with each row of O in the place of the one before: it must be reported as wrong, else nothing here can be
// believed.
import { open as open_ours } from "./ours.js";

export function open(options) {
  const ours = open_ours(options);
  const prepare = (problem) => {
    const attend = ours.prepare(problem);
    return async () => {
      const output = await attend();
      output.copyWithin(problem.d, 0);
      return output;
    };
  };
  return { about: ours.about, prepare };
}
