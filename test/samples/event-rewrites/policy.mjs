export const args = ({ tool }) => ({ args: { ...tool.args, dry_run: true } });
export const result = ({ result }) => result.text.slice(0, 5);
export const prompt = ({ prompt }) => ({ prompt: prompt.trim() });
