exports.guard = () => ({ deny: `require is a ${typeof require}` });
