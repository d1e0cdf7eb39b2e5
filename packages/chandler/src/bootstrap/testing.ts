export { aNodeInput } from './bootstrap.fixture.ts';
export { LINUX_CODES } from './cse/codes.table.ts';
export { goldenScript, withVariables } from './golden-script.fixture.ts';
