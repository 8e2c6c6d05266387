import { type Bytes, List } from "../values/values.js";
import { type Methods, methods } from "./builtin.js";

export const bytesMethods: Methods<Bytes> = methods<Bytes>({
  elems: [
    "",
    (thread, self) => {
      thread.charge(self.data.length, 32 + 8 * self.data.length);
      return new List([...self.data]);
    },
  ],
});
