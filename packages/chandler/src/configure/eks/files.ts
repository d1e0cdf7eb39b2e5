/** The files of `configure eks --write`: the values of the chart, and the same setup for two tools. */
import type { Facts } from '../resource.ts';
import { awsScript } from './script.ts';
import type { EksSetup } from './setup.ts';
import { terraformFile } from './terraform.ts';
import { valuesFile } from './values.ts';

/** By name. */
export function eksFiles(setup: EksSetup, facts: Facts): ReadonlyMap<string, string> {
  return new Map([
    ['values.yaml', valuesFile(setup)],
    ['main.tf', terraformFile(setup, facts)],
    ['configure.sh', awsScript(setup)],
  ]);
}
