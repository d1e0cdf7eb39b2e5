/** The files of `configure aks --write`: the values of the chart, and the same setup for three tools. */
import type { Facts } from '../resource.ts';
import { bicepFiles } from './bicep.ts';
import { azScript } from './script.ts';
import type { AksSetup } from './setup.ts';
import { terraformFile } from './terraform.ts';
import { valuesFile } from './values.ts';

/** By name. */
export function aksFiles(setup: AksSetup, facts: Facts): ReadonlyMap<string, string> {
  return new Map([
    ['values.yaml', valuesFile(setup, facts)],
    ['main.tf', terraformFile(setup)],
    ...bicepFiles(setup),
    ['configure.sh', azScript(setup)],
  ]);
}
