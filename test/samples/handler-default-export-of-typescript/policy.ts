export default (): { deny: string } => ({ deny: "default" });
