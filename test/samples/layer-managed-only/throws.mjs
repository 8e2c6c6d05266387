throw new Error("it ran");
