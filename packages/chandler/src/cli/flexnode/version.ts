/** `flexnode version`: the four lines that existing scripts parse, or JSON. */
import { versionVerb } from '../version-verb.ts';

export const version = versionVerb({
  program: 'chandler flexnode',
  description: 'Prints the version of the agent. Reads no config.',
  text: ({ version, commit, buildTime }) =>
    `AKS Flex Node Agent\nVersion: ${version}\nGit Commit: ${commit}\nBuild Time: ${buildTime}\n`,
});
