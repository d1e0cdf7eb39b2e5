/**
 * The scriptless bootstrapper: walks the variables table and writes the script, here in this process. The same input
 * always gives the same bytes.
 */
import { MASK } from '../../settings/index.ts';
import type { Bootstrapper, Rendered, RenderedVariable } from '../bootstrapper.ts';
import { customDataOf } from '../custom-data.ts';
import type { NodeBootstrapInput } from '../input.ts';
import { assignment } from '../shell.ts';
import { scriptOf } from './script.ts';
import { refuseUnsupported } from './support.ts';
import type { VariableRow } from './variable-row.ts';
import { TAIL, VARIABLES } from './variables.table.ts';

export const scriptlessBootstrapper: Bootstrapper = {
  mode: 'aksscriptless',
  script: async (input) => renderScript(input),
};

export interface RenderOptions {
  /** Writes a mask in the place of secrets; for people, not for machines. */
  readonly masked?: boolean;
}

/** @throws {BootstrapError} when the input is refused or the script is too large. */
export function renderScript(input: NodeBootstrapInput, options: RenderOptions = {}): Rendered {
  refuseUnsupported(input.nodeClass.spec, 'aksscriptless');
  const resolved = ROWS.map((row) => resolve(row, input, options.masked ?? false));
  const script = scriptOf(
    resolved.map((variable, index) => assignment(variable.name, variable.value, ROWS[index]!.quoted)),
  );
  const { base64, bytes } = customDataOf(script);
  return { customData: base64, script, bytes, variables: resolved };
}

/** The assignments alone, as the script has them. */
export function assignmentsOf(variables: readonly RenderedVariable[]): string[] {
  return variables.map(({ name, value }) => assignment(name, value, QUOTED.has(name)));
}

// ---------------------------------------------------------------------------------------------------

const ROWS: readonly VariableRow[] = [...VARIABLES, ...TAIL];
const QUOTED: ReadonlySet<string> = new Set(ROWS.filter((row) => row.quoted).map((row) => row.name));

function resolve(row: VariableRow, input: NodeBootstrapInput, masked: boolean): RenderedVariable {
  const { value, source, path } = row.resolve(input);
  const hidden = masked && row.secret && value !== '';
  return {
    name: row.name,
    group: row.group,
    value: hidden ? MASK : value,
    source,
    path,
    default: row.default,
    ...(row.secret ? { secret: true } : {}),
  };
}
