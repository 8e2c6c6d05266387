exports.guard = () => {};
