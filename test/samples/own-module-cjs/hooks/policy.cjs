const { basename } = require("node:path");

module.exports.guard = () => ({ deny: basename(__filename) });
