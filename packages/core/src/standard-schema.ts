/**
 * The Standard Schema v1 contract (standardschema.dev), which validators such as Zod, Valibot and ArkType implement.
 * Declared here so that core needs no dependency.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type that a schema's validation yields. */
export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** The type that a schema takes. */
export type SchemaInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];
