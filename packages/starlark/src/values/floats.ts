/** From this exponent on, and below -4, Go's shortest form of a float has an exponent. */
const LEAST_LARGE = 6;
/** How many digits `%e` and `%f` have behind the point. */
const PRECISION = 6;

/** A float as Go prints it: the shortest text that reads back the same, and always recognisable as a float. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return specialText(value);
  const [digits = "0", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= LEAST_LARGE) return `${digits}${exponentText(exponent)}`;
  const plain = Object.is(value, -0) ? "-0" : String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

/** `%f`: six digits behind the point, however large the number is. */
export function fixedText(value: number): string {
  if (!Number.isFinite(value)) return specialText(value);
  // From here on JavaScript writes an exponent; such a number has nothing behind its point.
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.${"0".repeat(PRECISION)}`;
  return signed(value, roundHalfToEven(Math.abs(value).toFixed(PRECISION), Math.abs(value).toFixed(100)));
}

/** `%e`: one digit before the point and six behind it. */
export function exponentialText(value: number): string {
  if (!Number.isFinite(value)) return specialText(value);
  const size = Math.abs(value);
  const [rounded = "0", power = "0"] = size.toExponential(PRECISION).split("e");
  const [shortest = "0"] = size.toExponential().split("e");
  // Only a number whose shortest form has one digit more, a five, may lie exactly between two others.
  const mayBeHalf = shortest.length === rounded.length + 1 && shortest.endsWith("5");
  const [exact = "0", exactPower = "0"] = mayBeHalf ? size.toExponential(100).split("e") : [rounded, power];
  const digits = power === exactPower ? roundHalfToEven(rounded, exact) : rounded;
  return signed(value, `${digits}${exponentText(Number(power))}`);
}

function specialText(value: number): string {
  return Number.isNaN(value) ? "nan" : value > 0 ? "+inf" : "-inf";
}

function exponentText(exponent: number): string {
  return `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function signed(value: number, text: string): string {
  return value < 0 || Object.is(value, -0) ? `-${text}` : text;
}

/** JavaScript rounds a half up; Go, like C, to the even digit. A half is one exactly: a five, and then nothing. */
function roundHalfToEven(rounded: string, exact: string): string {
  const cut = exact.slice(0, rounded.length);
  const isHalf = /^50*$/.test(exact.slice(rounded.length));
  return isHalf && Number(cut.at(-1)) % 2 === 0 ? cut : rounded;
}
