export default () => ({ deny: "default" });
