// Keeps a server that would listen on every address on this machine.
const net = require('node:net');
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, rest.findLast((one) => typeof one === 'function'));
};
