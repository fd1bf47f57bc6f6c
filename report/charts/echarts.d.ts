/** The bundle of ECharts, which ships without types of its own. */
declare module "echarts/dist/echarts.esm.min" {
  export { init } from "echarts";
}
