/** Version of this package, recorded in results. A test holds it to package.json. */
export const VERSION = "0.1.0";
