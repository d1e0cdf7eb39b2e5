/** The parts of a Terraform file. `hcl-parser.ts` reads them, `evaluate.ts` makes values of them. */

export interface HclBody {
  readonly attributes: ReadonlyMap<string, HclAttribute>;
  readonly blocks: readonly HclBlock[];
}

export interface HclAttribute {
  readonly line: number;
  /** Where it is not that of its block. */
  readonly file?: string;
  readonly value: HclExpression;
}

export interface HclBlock {
  /** `resource`. */
  readonly type: string;
  /** `aws_subnet`, `private`. */
  readonly labels: readonly string[];
  readonly body: HclBody;
  readonly line: number;
}

export type HclExpression = { readonly line: number } & (
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null; readonly heredoc?: true }
  /** A text with references in it. */
  | {
      readonly kind: 'template';
      readonly parts: readonly (string | HclExpression)[];
      readonly heredoc?: true;
    }
  | { readonly kind: 'list'; readonly items: readonly HclExpression[] }
  | { readonly kind: 'object'; readonly entries: readonly HclEntry[] }
  /** `var.name`, `local.tags["a"]`, `module.eks.cluster_name`. */
  | { readonly kind: 'reference'; readonly steps: readonly (string | number | HclExpression)[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly HclExpression[] }
  /** Operators, conditions, `for`, splats: not evaluated. */
  | { readonly kind: 'other'; readonly text: string }
);

export interface HclEntry {
  readonly key: HclExpression;
  readonly value: HclExpression;
  readonly line: number;
}

/** The file is not HCL. */
export class HclError extends Error {
  override readonly name = 'HclError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}
