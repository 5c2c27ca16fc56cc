# Draws numpy_h200.svg from numpy_h200.csv: gnuplot numpy_h200.gp
set terminal svg size 820,330 noenhanced font "sans-serif,13" background "white"
set output "numpy_h200.svg"
set style data histograms
set style histogram clustered gap 1.2
set style fill solid 0.9 noborder
set logscale y
set format y "%g ms"
set yrange [0.5:1000]
set grid ytics lc rgb "#dddddd"
set border 3
set xtics nomirror
set ytics nomirror
set key outside bottom center horizontal maxcols 2
set title "NumPy A @ B, n x n: time of one product (less is better; logarithmic)"
plot "numpy_h200.csv" using 2:xtic(1) title "float32, NumPy alone" lc rgb "#9ecae1", \
     "" using 3 title "float32, DuoBLAS preloaded" lc rgb "#3182bd", \
     "" using 4 title "float64, NumPy alone" lc rgb "#fdbe85", \
     "" using 5 title "float64, DuoBLAS preloaded" lc rgb "#e6550d"
