/** No stage yet. */
export type NoStages = Record<never, never>;

/** The stages `S` and one named `N` that binds `U`. */
export type WithStage<S extends object, N extends string, U> = {
  [K in keyof S | N]: K extends N ? U : K extends keyof S ? S[K] : never;
};

/** The stages of both. */
export type WithStages<S extends object, G extends object> = {
  [K in keyof S | keyof G]: K extends keyof G ? G[K] : K extends keyof S ? S[K] : never;
};

/** What a name must also be: nothing more when it is free, and impossible when a stage has it already. */
export type Unused<N extends string, S extends object> = string extends keyof S
  ? unknown
  : N extends keyof S
    ? { readonly 'another stage has this name': N }
    : unknown;

/** Like {@link Unused}, for all stages of a group. */
export type AllUnused<G extends object, S extends object> = string extends keyof S | keyof G
  ? unknown
  : [keyof G & keyof S] extends [never]
    ? unknown
    : { readonly 'another stage has this name': keyof G & keyof S };

/** The event type of the stage `L`. */
export type EventOf<S extends object, L extends string> = L extends keyof S ? S[L] : never;
