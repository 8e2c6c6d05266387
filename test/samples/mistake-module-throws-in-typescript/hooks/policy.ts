throw new Error("POLICY_URL is not set");
