// The negative twin of index.js: it must make the runner fail.
'use strict';
exports.run = async () => {
  throw new Error('this failure is wanted');
};
