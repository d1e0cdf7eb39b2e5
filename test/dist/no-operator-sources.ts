/** For `node --import`: a process in which the operator may come from the bundle only. Loading its sources is an error. */
import { registerHooks } from 'node:module';

const OPERATOR_SOURCES = /\/src\/(operator|controllers)\/.*\.ts$/;

registerHooks({
  load(url, context, nextLoad) {
    if (OPERATOR_SOURCES.test(url)) throw new Error(`${url} was loaded: that is not the bundled operator`);
    return nextLoad(url, context);
  },
});
