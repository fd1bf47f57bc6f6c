/** The component plugin's package schema, from the sources. */

interface PackageSchema {
  readonly resources: Readonly<
    Record<string, { readonly inputProperties: object; readonly requiredInputs: readonly string[] }>
  >;
  readonly types: Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>>;
}

/** The plugin is compiled by Pulumi's own settings, so the type checker of this project does not follow its imports. */
const pluginFile = (name: string) => import(`../../packages/pulumi-plugin/${name}.ts`);

/** Arguments that no other language can give, with the reason. */
export const leftOut: Readonly<Record<string, string>> = (await pluginFile("schema")).leftOut;

export async function pluginSchema(): Promise<PackageSchema> {
  const { components } = await pluginFile("components");
  const { packageSchema } = await pluginFile("schema");
  return packageSchema("0.1.0", components);
}

/** Arguments from another language, in the library's form. */
export async function settled(schema: unknown, given: unknown): Promise<unknown> {
  return (await pluginFile("settle")).settle(schema, given);
}
