const reason: string = `commonjs typescript: ${typeof module.exports}`;

module.exports = { guard: () => ({ deny: reason }) };
