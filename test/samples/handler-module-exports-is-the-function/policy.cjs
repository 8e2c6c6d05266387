module.exports = () => ({ deny: "module.exports" });
