export const guard = ({ budget }) => ({ body: `${budget.pct} %` });
