/** The functions used of jStat, which ships no types. */
declare module "jstat" {
  interface JStat {
    mean(values: readonly number[]): number;
    median(values: readonly number[]): number;
    /** Standard deviation; of a sample, divided by n - 1, where the second argument is true. */
    stdev(values: readonly number[], isSample: boolean): number;
    /** Ranks from 1; equal values share their mean rank. */
    rank(values: readonly number[]): number[];
    readonly normal: {
      cdf(x: number, mean: number, stddev: number): number;
    };
    readonly studentt: {
      cdf(t: number, degreesOfFreedom: number): number;
      inv(probability: number, degreesOfFreedom: number): number;
    };
  }
  const library: { readonly jStat: JStat };
  export default library;
}
