/** Style sheets are put into the bundle as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
