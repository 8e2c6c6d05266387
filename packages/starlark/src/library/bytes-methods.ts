import { UNITS } from "../values/allocation.js";
import { type Bytes, Elems } from "../values/values.js";
import { type Methods, methods } from "./builtin.js";

export const bytesMethods: Methods<Bytes> = methods<Bytes>({
  elems: [
    "",
    (thread, self) => {
      thread.charge(self.data.length, UNITS.list + 8 * self.data.length);
      return new Elems(self, "elems", [...self.data]);
    },
  ],
});
