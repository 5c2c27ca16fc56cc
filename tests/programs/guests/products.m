% Products of every element type. Prints `NAME SCALE VALUE...` as dropin.py reads it.
1;

function report (name, multiply, a, b)
  fprintf (stderr, "case %s\n", name);
  fflush (stderr);
  c = multiply (a, b);
  kind = 1 + (2 * sqrt (2) - 1) * iscomplex (c);
  scale = sqrt (max (size (a)) + 2) * kind * eps (ones (1, class (c))) / 2 ...
          * norm (double (a), "fro") * norm (double (b), "fro");
  c = double (c)(:).';
  printf ("%s %.17g", name, scale);
  printf (" %.17g", real (c), imag (c));
  printf ("\n");
end

% Only in a function's body does Octave see that this needs no transposed copy.
function c = own_adjoint (x, y)
  c = x' * x;
end

function c = left_adjoint (x, y)
  c = x' * y;
end

rand ("twister", 42);
a = rand (90, 110) - 0.5;
b = rand (110, 70) - 0.5;
ia = rand (90, 110) - 0.5;
ib = rand (110, 70) - 0.5;
operands = {"double", a, b; "single", single(a), single(b); ...
            "complex", a + i * ia, b + i * ib; ...
            "single_complex", single(a + i * ia), single(b + i * ib)};

for row = 1:rows (operands)
  [kind, a, b] = operands{row, :};
  report (["products.plain." kind], @(x, y) x * y, a, b);
  report (["products.transposed." kind], @(x, y) x.' * y.', b, a);
  report (["products.left_adjoint." kind], @left_adjoint, a', b);
  report (["products.both_adjoints." kind], @(x, y) x' * y', b, a);
  report (["cross_products.own_adjoint." kind], @own_adjoint, a, a);
end
