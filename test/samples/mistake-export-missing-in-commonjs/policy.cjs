module.exports = { guard() {} };
