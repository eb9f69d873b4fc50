// Tells the seconds that something takes, at once and then every second, until what it gives is called.
export function reading(told) {
  const began = Date.now();
  const tell = () => told(Math.round((Date.now() - began) / 1000));
  tell();
  const timer = setInterval(tell, 1000);
  return () => clearInterval(timer);
}
